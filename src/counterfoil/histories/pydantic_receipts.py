"""What the signed receipts in a message list prove.

A receipt counts only if it is signed, for this operation and for this payload: a genuine one that was copied from
another call proves nothing here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic_ai.messages import ToolCallPart, ToolReturnPart

from counterfoil.facts import Effect
from counterfoil.histories.gates import call_name
from counterfoil.histories.history import History, Pairing, Part, paired
from counterfoil.histories.pydantic_known import Known
from counterfoil.histories.pydantic_messages import Source, Told
from counterfoil.histories.pydantic_naming import Index, declared_by, name_of, renamed
from counterfoil.histories.report import Note
from counterfoil.holdings import is_sighting
from counterfoil.reading.hashing import payload_hash
from counterfoil.reading.identity import DERIVED
from counterfoil.receipts import RECEIPT, Flaw, NotAReceipt, Receipt, effect_of, verified


@dataclass(frozen=True, slots=True)
class Named:
    """The list with its operations' names, the facts that its receipts prove, and what was wrong with the others."""

    history: History
    facts: tuple[Effect, ...]
    notes: tuple[Note, ...]


def named(history: History, seen: Told, known: Known, secret: bytes | None) -> Named:
    """Name the operations of a list and check its receipts. ``history`` holds the messages of ``seen``."""
    pairing, index = paired(history), Index.of(known)
    names: dict[int, str | None] = {}
    facts: list[Effect] = []
    notes: list[Note] = []
    for call in pairing.calls:
        source = seen.sources[id(call.part)]
        result = seen.sources[id(call.result)] if call.result is not None else None
        proved = _proved(result, secret)
        signed = proved.operation_id if isinstance(proved, Receipt) else None
        conversation = source.conversation_id or history.conversation_id
        name = name_of(call.part, source, result, conversation=conversation, proved=signed, index=index)
        names[id(call.part)] = name
        if isinstance(proved, Receipt):
            proved = _bound(proved, name, call.part, source)
        _keep(proved, result, call.part, facts, notes)
    notes += _sharing(pairing, names, known, facts)
    for orphan in pairing.orphans:
        source = seen.sources[id(orphan)]
        proved = _proved(source, secret)
        names[id(orphan)] = proved.operation_id if isinstance(proved, Receipt) else declared_by(source)
        if isinstance(proved, Receipt):
            notes.append(Note(call_name(orphan), "holds a receipt that a repair would drop"))
        _keep(proved, source, orphan, facts, notes)
    return Named(replace(history, messages=renamed(history, names)), tuple(facts), tuple(notes))


def _sharing(pairing: Pairing, names: dict[int, str | None], known: Known, facts: Sequence[Effect]) -> Iterator[Note]:
    """Where one derived name is given to several calls, so many of them may keep it as there are effects under it.

    Models reuse call ids and may mean the same request twice; one receipt doesn't prove two payments.
    """
    calls: dict[str, list[Part]] = {}
    for call in pairing.calls:
        calls.setdefault(names[id(call.part)] or "", []).append(call.part)
    for name, parts in calls.items():
        if len(parts) > 1 and name.startswith(f"{DERIVED}:"):
            of_name = (*known.get(name, ()), *(fact for fact in facts if fact.operation_id == name))
            effects = {fact.effect_ref for fact in of_name if isinstance(fact, Effect) and is_sighting(fact)}
            for part in parts[max(1, len(effects)) :]:
                names[id(part)] = None
                yield Note(call_name(part), "has the id and the request of another call, and no effect of its own")


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
