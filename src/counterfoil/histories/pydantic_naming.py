"""Which operation each call of a message list is.

The ledger knows it best, by conversation, call id and request; else the operator's settings find its name in the
arguments; else the metadata of its result says so, unless the ledger says that this operation belongs elsewhere; else
the name is derived. Among these a signed receipt decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from counterfoil.dispatch import differ
from counterfoil.facts import Intent
from counterfoil.histories.history import History, Message, Part
from counterfoil.histories.pydantic_known import Known
from counterfoil.histories.pydantic_messages import Source, Told
from counterfoil.names import OPERATION_ID
from counterfoil.reading.identity import derived_operation_id, is_id
from counterfoil.reading.values import text


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

    def of_call(self, call: Part, conversation: str | None) -> list[str]:
        """Operations of which an intent tells this conversation, this call id and no other request."""
        names = self.by_call.get((conversation or "", call.tool_call_id or ""), frozenset())
        return [name for name in names if any(_same_request(call, intent) for intent in self.intents[name])]


def candidates(history: History, seen: Told) -> frozenset[str]:
    """The names that the list itself gives its operations, to ask a ledger for."""
    names = set(history.ledger_operations)
    for part in history.parts:
        source = seen.sources.get(id(part))
        if source is not None and part.is_call:
            conversation = source.conversation_id or history.conversation_id
            names.add(derived_operation_id(conversation, part.tool_call_id, part.payload_hash) or "")
            names.add(source.operation_id or "")
        elif source is not None:
            names.add(declared_by(source) or "")
    return frozenset(names - {""})


def name_of(
    call: Part, source: Source, result: Source | None, *, conversation: str | None, proved: str | None, index: Index
) -> str | None:
    """The operation of a call. ``proved``: the one that a signed receipt beside its result is for; it decides among
    the names that the call may have, since a call id that is used again leads the ledger to several operations."""
    known = index.of_call(call, conversation)
    declared = declared_by(result)
    possible = (
        known[0] if len(known) == 1 else None,
        source.operation_id,
        declared if declared is not None and _belongs(declared, conversation, index) else None,
        derived_operation_id(conversation, call.tool_call_id, call.payload_hash),
    )
    if proved is not None and proved in (*known, *possible):
        return proved
    return next((name for name in possible if name is not None), None)


def _same_request(call: Part, intent: Intent) -> bool:
    return intent.tool in (None, call.tool) and not differ(intent.payload_hash, call.payload_hash)


def _belongs(name: str, conversation: str | None, index: Index) -> bool:
    """A name in the list is a claim. Where the ledger knows the conversations of an operation, it has to agree."""
    conversations = {intent.conversation_id for intent in index.intents.get(name, ())} - {None}
    return not conversations or conversation in conversations


def declared_by(result: Source | None) -> str | None:
    try:
        return text(result.metadata.get(OPERATION_ID)) if result is not None else None
    except ValueError:
        return None


def renamed(history: History, names: Mapping[int, str | None]) -> tuple[Message, ...]:
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
