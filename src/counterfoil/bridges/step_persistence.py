"""The harness's `StepPersistence` keeps a record of each tool call: started, completed or failed.

Such a record says how the tool's body ended, and not what the world holds. So it becomes an intent, and where the body
ended a claim: neither proves an effect. The other way round, `annotate` writes the verdict on each call beside its
record, where whoever resumes the run looks (`list_unresolved_tool_effects`).

A record holds no arguments; they are in the run's snapshots. The newest snapshot of a killed process may not have the
last call, unless ``StepPersistence(capture_frontier=True)``. A call whose request nobody knows has no name of its own:
it is told by its id only where the ledger knows one operation of that call, else it is in ``unnamed``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from pydantic_ai.messages import ToolCallPart
from pydantic_ai_harness.step_persistence import StepStore, ToolEffectRecord

from counterfoil.config import Config
from counterfoil.facts import Claim, Fact, Intent, Reported
from counterfoil.histories.gates import call_name
from counterfoil.histories.history import Part
from counterfoil.histories.pydantic_known import known_of
from counterfoil.histories.pydantic_naming import Index
from counterfoil.ledger import Ledger
from counterfoil.ledger.looking import look_up
from counterfoil.reading.identity import derived_operation_id
from counterfoil.reading.naming import BY_CALL
from counterfoil.reading.requests import Request, request_of
from counterfoil.stated import settings

BY = "step_persistence"
"""Who makes the claims."""

MARK = "counterfoil: "
"""What an annotation begins with. What stands before it in the summary is the application's, and stays."""

_REPORTED = {"completed": Reported.SUCCESS, "failed": Reported.ERROR}


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """``operations``: the name of each call, by its id. ``unnamed``: hashes of the ids of calls that have none."""

    facts: tuple[Fact, ...] = ()
    operations: Mapping[str, str]
    unnamed: tuple[str, ...] = ()


async def records_of(
    store: StepStore, run_id: str, *, ledger: Ledger | None = None, config: Config | None = None
) -> Records:
    """What a step store tells of one run's tool calls. Put ``facts`` into a ledger to have them judged; once or often
    is the same.

    ``ledger``: knows the names of calls whose requests nobody kept; may raise `LedgerFault`. ``config``: by default the
    environment's. Raises what the store raises. No argument and no result is kept.
    """
    config = config if config is not None else settings()
    run = await store.get_run(run_id=run_id)
    conversation = run.conversation_id if run is not None else None
    calls = await _calls(store, run_id)
    known, _ = known_of(ledger, frozenset({conversation} - {None}), frozenset())  # type: ignore[arg-type]
    index = Index.of(known)
    facts: list[Fact] = []
    operations: dict[str, str] = {}
    unnamed: list[str] = []
    for record in await _records(store, run_id):
        call = calls.get(record.tool_call_id)
        tool = config.tool(record.tool_name)
        request = request_of(call.args_as_dict(), tool, config.hash_key) if call is not None else Request()
        part = _part(record, request)
        name = _name(part, request, conversation, index, is_known=call is not None)
        if name is None:
            unnamed.append(call_name(part))
            continue
        operations[record.tool_call_id] = name
        if not index.intents.get(name):
            meant = _intent(record, name, request, side_effect=tool.side_effect)
            agent = run.agent_name if run is not None else None
            facts.append(replace(meant, conversation_id=conversation, agent=agent))
        facts += _claims(record, name)
    return Records(facts=tuple(facts), operations=operations, unnamed=tuple(unnamed))


async def annotate(store: StepStore, run_id: str, ledger: Ledger, *, config: Config | None = None) -> int:
    """Write the verdict on each call beside its record, as of now: how many were written. Called again, it writes the
    verdict of then in place of its own; the rest of a record stays as it is."""
    found = await records_of(store, run_id, ledger=ledger, config=config)
    written = 0
    for call_id, operation in found.operations.items():
        record = await store.get_tool_effect(run_id=run_id, tool_call_id=call_id)
        judged = look_up(ledger, operation)
        if record is None or judged is None:
            continue
        refs = f" ({', '.join(judged.effect_refs[:3])})" if judged.effect_refs else ""
        theirs = (record.effect_summary or "").partition(MARK)[0]
        said = f"{theirs}{MARK}{judged.verdict}{refs}, operation {operation}"
        if theirs and not theirs.endswith("; "):
            said = f"{theirs}; {said.removeprefix(theirs)}"
        await store.record_tool_effect(replace(record, effect_summary=said))
        written += 1
    return written


async def _records(store: StepStore, run_id: str) -> list[ToolEffectRecord]:
    """In the order in which the calls began; the store gives records one by one."""
    ids = dict.fromkeys(event.tool_call_id for event in await store.list_events(run_id=run_id) if event.tool_call_id)
    found = [await store.get_tool_effect(run_id=run_id, tool_call_id=call_id) for call_id in ids]
    return [record for record in found if record is not None]


async def _calls(store: StepStore, run_id: str) -> dict[str, ToolCallPart]:
    """The run's calls by their ids. An id that was used before leads to the newest, which is the run's own."""
    snapshot = await store.latest_snapshot(run_id=run_id, include_interrupted=True)
    messages = snapshot.messages if snapshot is not None else []
    parts = (part for message in messages for part in message.parts)
    return {part.tool_call_id: part for part in parts if isinstance(part, ToolCallPart)}


def _part(record: ToolEffectRecord, request: Request) -> Part:
    return Part(
        part="tool-call",
        tool_call_id=record.tool_call_id,
        tool=record.tool_name,
        payload_hash=request.payload_hash,
    )


def _name(part: Part, request: Request, conversation: str | None, index: Index, *, is_known: bool) -> str | None:
    known = index.of_call(part, conversation)
    if len(known) == 1:
        return known[0]
    if request.operation_id is not None or not is_known:
        return request.operation_id
    return derived_operation_id(conversation, part.tool_call_id, part.payload_hash)


def _intent(record: ToolEffectRecord, name: str, request: Request, *, side_effect: bool | None) -> Intent:
    """Without the run: a store may know it by another id than the framework does."""
    return Intent(
        operation_id=name,
        observed_at=_ns(record.started_at),
        tool=record.tool_name,
        side_effect=side_effect,
        payload_hash=request.payload_hash,
        intent_ref=request.intent_ref,
        id_source=None if request.operation_id is not None else BY_CALL,
        tool_call_id=record.tool_call_id,
    )


def _claims(record: ToolEffectRecord, name: str) -> list[Claim]:
    reported = _REPORTED.get(record.status)
    if reported is None:
        return []
    at = _ns(record.ended_at or record.started_at)
    return [Claim(operation_id=name, observed_at=at, reported=reported, by=BY, tool=record.tool_name)]


def _ns(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000_000) * 1_000
