"""Which operation each call of a message list is, and what the signed receipts in it prove.

A call gets its operation's name from the ledger, which knows it by conversation, call id and request; else from the
metadata of its result, unless the ledger says that this operation belongs elsewhere; else it is derived. A receipt
counts only if it is signed, for this operation and for this payload: a genuine one that was copied from another call
proves nothing here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pydantic_ai.messages import ToolCallPart, ToolReturnPart

from counterfoil.dispatch import differ
from counterfoil.facts import Effect, Intent
from counterfoil.histories.gates import call_name
from counterfoil.histories.history import History, Message, Part, paired
from counterfoil.histories.pydantic_known import Known
from counterfoil.histories.pydantic_messages import Source, Told
from counterfoil.names import OPERATION_ID
from counterfoil.reading.hashing import payload_hash
from counterfoil.reading.identity import derived_operation_id, is_id
from counterfoil.reading.values import text
from counterfoil.receipts import RECEIPT, Flaw, NotAReceipt, Receipt, effect_of, verified


@dataclass(frozen=True, slots=True)
class Note:
    """Something that a person should know beside the verdict: about which call, by its hash, and what. No content."""

    call: str | None
    what: str


@dataclass(frozen=True, slots=True)
class Named:
    """The list with its operations' names, the facts that its receipts prove, and what was wrong with the others."""

    history: History
    facts: tuple[Effect, ...]
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """What the ledger knows of calls: operations by conversation and call id, and the intents of each operation."""

    by_call: Mapping[tuple[str, str], frozenset[str]]
    intents: Mapping[str, tuple[Intent, ...]]

    @classmethod
    def of(cls, known: Known) -> Index:
        by_call: dict[tuple[str, str], set[str]] = {}
        intents: dict[str, tuple[Intent, ...]] = {}
        for name, facts in known.items():
            intents[name] = tuple(fact for fact in facts if isinstance(fact, Intent))
            for intent in intents[name]:
                if intent.conversation_id is not None and is_id(intent.tool_call_id):
                    by_call.setdefault((intent.conversation_id, intent.tool_call_id or ""), set()).add(name)
        return cls({call: frozenset(names) for call, names in by_call.items()}, intents)


def named(history: History, seen: Told, known: Known, secret: bytes | None) -> Named:
    """Name the operations of a list and check its receipts. ``history`` holds the messages of ``seen``."""
    pairing, index = paired(history), Index.of(known)
    names: dict[int, str | None] = {}
    facts: list[Effect] = []
    notes: list[Note] = []
    for call in pairing.calls:
        source = seen.sources[id(call.part)]
        result = seen.sources[id(call.result)] if call.result is not None else None
        name = _name(call.part, source.conversation_id or history.conversation_id, result, index)
        names[id(call.part)] = name
        proved = _proved(result, secret)
        if isinstance(proved, Receipt):
            proved = _bound(proved, name, call.part, source)
        _keep(proved, result, call.part, facts, notes)
    for orphan in pairing.orphans:
        source = seen.sources[id(orphan)]
        proved = _proved(source, secret)
        names[id(orphan)] = proved.operation_id if isinstance(proved, Receipt) else _declared(source)
        if isinstance(proved, Receipt):
            notes.append(Note(call_name(orphan), "holds a receipt that a repair would drop"))
        _keep(proved, source, orphan, facts, notes)
    return Named(replace(history, messages=_renamed(history, names)), tuple(facts), tuple(notes))


def candidates(history: History, seen: Told) -> frozenset[str]:
    """The names that the list itself gives its operations, to ask a ledger for."""
    names = set(history.ledger_operations)
    for part in history.parts:
        source = seen.sources.get(id(part))
        if source is not None and part.is_call:
            conversation = source.conversation_id or history.conversation_id
            names.add(derived_operation_id(conversation, part.tool_call_id, part.payload_hash) or "")
        elif source is not None:
            names.add(_declared(source) or "")
    return frozenset(names - {""})


def _name(call: Part, conversation: str | None, result: Source | None, index: Index) -> str | None:
    known = [
        name
        for name in index.by_call.get((conversation or "", call.tool_call_id or ""), ())
        if any(_same_request(call, intent) for intent in index.intents[name])
    ]
    if len(known) == 1:
        return known[0]
    declared = _declared(result)
    if declared is not None and _belongs(declared, conversation, index):
        return declared
    return derived_operation_id(conversation, call.tool_call_id, call.payload_hash)


def _same_request(call: Part, intent: Intent) -> bool:
    return intent.tool in (None, call.tool) and not differ(intent.payload_hash, call.payload_hash)


def _belongs(name: str, conversation: str | None, index: Index) -> bool:
    """A name in the list is a claim. Where the ledger knows the conversations of an operation, it has to agree."""
    conversations = {intent.conversation_id for intent in index.intents.get(name, ())} - {None}
    return not conversations or conversation in conversations


def _declared(result: Source | None) -> str | None:
    try:
        return text(result.metadata.get(OPERATION_ID)) if result is not None else None
    except ValueError:
        return None


def _proved(result: Source | None, secret: bytes | None) -> Receipt | Flaw | None:
    """The receipt that a result carries, or what is wrong with it; None: it carries none."""
    record = result.metadata.get(RECEIPT) if result is not None else None
    if record is None:
        return None
    try:
        return verified(record, secret)
    except NotAReceipt as not_one:
        return not_one.flaw


def _bound(receipt: Receipt, name: str | None, call: Part, source: Source) -> Receipt | Flaw:
    """The receipt, if it is this call's."""
    if receipt.operation_id != name:
        return Flaw.OTHER_OPERATION
    if receipt.payload_hash == call.payload_hash:
        return receipt
    unkeyed = payload_hash(source.part.args_as_dict()) if isinstance(source.part, ToolCallPart) else None
    return receipt if receipt.payload_hash == unkeyed else Flaw.OTHER_PAYLOAD


def _keep(
    proved: Receipt | Flaw | None, result: Source | None, part: Part, facts: list[Effect], notes: list[Note]
) -> None:
    if isinstance(proved, Flaw):
        notes.append(Note(call_name(part), f"its receipt is {proved}"))
    elif proved is not None and result is not None and isinstance(result.part, ToolReturnPart):
        facts.append(effect_of(proved, int(result.part.timestamp.timestamp() * 1_000_000) * 1_000))


def _renamed(history: History, names: Mapping[int, str | None]) -> tuple[Message, ...]:
    """`dataclasses.replace` would take twice the time, which a long list notices."""
    return tuple(
        Message(
            kind=message.kind,
            state=message.state,
            conversation_id=message.conversation_id,
            run_id=message.run_id,
            instructions=message.instructions,
            parts=tuple(_with(part, names[id(part)]) if id(part) in names else part for part in message.parts),
        )
        if any(id(part) in names for part in message.parts)
        else message
        for message in history.messages
    )


def _with(part: Part, name: str | None) -> Part:
    if not part.is_call:
        return replace(part, operation_id=name)
    return Part(
        part=part.part,
        tool_call_id=part.tool_call_id,
        tool=part.tool,
        payload_hash=part.payload_hash,
        operation_id=name,
        deferred=part.deferred,
    )
