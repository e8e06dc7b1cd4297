"""The audit of a Pydantic AI message list before it is replayed: stored list in, verdict out, nothing repaired."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from counterfoil.config import Config
from counterfoil.evidence import NONE, Evidence
from counterfoil.histories.audit import audit
from counterfoil.histories.contract import HistoryContract
from counterfoil.histories.history import History
from counterfoil.histories.pydantic_known import MAX_SCANNED, Facts, Known, known_of
from counterfoil.histories.pydantic_messages import ReadRequest, Told, told
from counterfoil.histories.pydantic_naming import candidates
from counterfoil.histories.pydantic_receipts import Named, named
from counterfoil.histories.pydantic_stored import Loaded, StepStore, Stored, loaded, stored_messages
from counterfoil.histories.pydantic_telling import tell_audit
from counterfoil.histories.pydantic_terms import Contract, terms_of
from counterfoil.histories.report import HistoryAudit, Note
from counterfoil.histories.terms import Terms
from counterfoil.reading.requests import Request, request_of
from counterfoil.telling.histories import HistoryTelling


def audit_history(
    messages: Stored | StepStore,
    *,
    contract: Contract | None = None,
    provenance: str | None = None,
    ledger: Facts | None = None,
    config: Config | None = None,
    run_id: str | None = None,
    now: int | None = None,
    tell: bool = False,
) -> HistoryAudit:
    """Put a stored message list through the six gates, before any repair.

    ``messages``: a list, a `Conversation`, JSON as bytes, a file as `pathlib.Path`, or a harness step store (then
    ``run_id`` or the contract's conversation says which list; inside a running event loop use `audit_step_store`).
    ``contract``: a `HistoryContract`, a mapping of its terms, or a TOML or JSON file as `pathlib.Path`.
    ``provenance`` says where the list came from, and wins over the contract. ``ledger``: facts by operation, or a
    ledger. ``config``: settings, else the environment's; its hash key checks receipts. ``now``: nanoseconds since
    1970, for waits. ``tell``: say the verdict as a span, an event and a metric, as that of an operation is said.

    Raises `UnreadableHistory` where the list can't be read, `ContractError` for a wrong contract, `LedgerFault` where
    the ledger can't answer, TypeError for what is no list at all. No message and no result holds content.
    """
    terms = terms_of(contract, provenance)
    if isinstance(messages, StepStore):
        return _audited(_from_store(messages, run_id, terms), terms, ledger, config, now, tell=tell)
    return _audited(loaded(messages), terms, ledger, config, now, tell=tell)


async def audit_step_store(
    store: StepStore,
    *,
    contract: Contract | None = None,
    provenance: str | None = None,
    ledger: Facts | None = None,
    config: Config | None = None,
    run_id: str | None = None,
    now: int | None = None,
    tell: bool = False,
) -> HistoryAudit:
    """`audit_history` of the newest snapshot in a step store, from inside an event loop."""
    terms = terms_of(contract, provenance)
    snapshot = await stored_messages(store, run_id=run_id, conversation_id=terms.conversation_id)
    return _audited(snapshot, terms, ledger, config, now, tell=tell)


def _from_store(store: StepStore, run_id: str | None, terms: HistoryContract) -> Loaded:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(stored_messages(store, run_id=run_id, conversation_id=terms.conversation_id))
    raise TypeError("a step store can't be read from inside a running event loop: await audit_step_store(…) there")


def _audited(
    stored: Loaded, terms: HistoryContract, ledger: Facts | None, config: Config | None, now: int | None, *, tell: bool
) -> HistoryAudit:
    began = time.time_ns()
    settings = Config.load()[0] if config is None else config
    terms = replace(terms, conversation_id=terms.conversation_id or stored.conversation_id)
    read_request = _reader(settings, terms.side_effect_tools if ledger is None else None)
    seen = told(stored.messages, terms, read_request, stored.deferred, settings.hash_key)
    history = _history(seen, terms, began if now is None else now)
    ids = (history.conversation_id, *(message.conversation_id for message in history.messages))
    conversations = frozenset(named_so for named_so in ids if named_so is not None)
    names = candidates(history, seen) if ledger is not None and not isinstance(ledger, Mapping) else frozenset()
    known, complete = known_of(ledger, conversations, names)
    proved = named(history, seen, known, settings.hash_key)
    audited = HistoryAudit(
        audit(proved.history, _joined(known, proved)),
        messages=len(stored.messages),
        receipts=len(proved.facts),
        notes=(*proved.notes, *_notes(stored, terms, complete)),
        waiting=terms.waiting,
    )
    if tell:
        tell_audit(HistoryTelling(audit=audited, began=began, conversation_id=terms.conversation_id))
    return audited


def _reader(config: Config, tools: frozenset[str] | None) -> ReadRequest:
    """Requests are read as they are on spans: volatile fields out, hashed with the key where there is one.

    Without a ledger nobody asks about calls of other ``tools`` than these.
    """

    def read(tool: str, arguments: Mapping[str, Any]) -> Request:
        if tools is not None and tool not in tools:
            return Request()
        return request_of(arguments, config.tool(tool), config.hash_key)

    return read


def _history(seen: Told, terms: HistoryContract, now: int) -> History:
    return History(
        history_id=terms.conversation_id or "history",
        messages=tuple(seen.messages),
        observed_at=now,
        wait_expires_at=terms.waiting.expires_at if terms.waiting is not None else None,
        **{term.name: getattr(terms, term.name) for term in fields(Terms)},
    )


def _joined(known: Known, proved: Named) -> Known:
    facts: dict[str, Evidence] = dict(known)
    for fact in proved.facts:
        facts[fact.operation_id] = facts.get(fact.operation_id, NONE) | {fact}
    return facts


def _notes(stored: Loaded, terms: HistoryContract, complete: bool) -> list[Note]:
    notes = []
    if stored.deferred and terms.waiting is None:
        notes.append(Note(None, "it waits, with no owner, decision, expiry or resume token on record"))
    if stored.rewritten:
        notes.append(Note(None, "it does not come back from storage as it was; what comes back was audited"))
    if not complete:
        notes.append(Note(None, f"the ledger has more operations than the {MAX_SCANNED} that were looked through"))
    return notes
