"""What a probe is asked, and what it may answer. The same for a worker that reconciles and for a guard."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from counterfoil.dispatch import first
from counterfoil.holdings import named
from counterfoil.operations import Operation
from counterfoil.reading.hashing import fingerprint
from counterfoil.stated import key_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One operation, for whoever looks it up. ``None`` and an empty tuple: nobody knows.

    ``key`` is the idempotency key itself. Ledgers hold fingerprints, so that it is known only where it was made from
    the operation's id, or the guard asks, in whose process the call is. ``arguments`` are the call's, for a guard; no
    ledger holds them. ``refs``: what anybody said the target named, believed or not.
    """

    operation_id: str
    tool: str | None = None
    key: str | None = field(default=None, repr=False)
    key_fingerprint: str | None = None
    key_scope: str | None = None
    request_hash: str | None = None
    refs: tuple[str, ...] = ()
    intent_refs: tuple[str, ...] = ()
    expected_count: int = 1
    attempts: int = 0
    arguments: Mapping[str, Any] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the target holds for the operation. No ``refs`` and no ``count``: it is certain that there is nothing.

    ``count``: how many there are in all, where that was counted. ``authoritative``: the source may be believed, on
    absence too; a search over a cached list may not. ``age_s``: how old what was read may be, as a replica's. ``read``
    is what the outcome contract looks at; it is not kept.
    """

    refs: tuple[str, ...] = ()
    count: int | None = None
    authoritative: bool = True
    age_s: float = 0.0
    read: object = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class CannotTell:
    """The look said nothing. ``why`` is kept, in few words and without content."""

    why: str = "it could not tell"


Said = Answer | CannotTell | Sequence[str] | None
"""A list of references is short for an `Answer`; None for `CannotTell`."""

Probe = Callable[[Question], Said | Awaitable[Said]]
"""May be a coroutine function. Whatever it raises is contained and leaves doubt."""


def question_of(operation: Operation, secret: bytes | None) -> Question:
    """What a ledger's facts let a probe be asked."""
    dispatches, intents = operation.dispatches, operation.intents
    print_ = first((*(d.key for d in dispatches), *(i.idempotency_key for i in intents)))
    derived = key_of(operation.operation_id)
    seen = {named(look) for look in operation.looks}
    return Question(
        operation_id=operation.operation_id,
        tool=operation.tool,
        key=derived if print_ == fingerprint(derived, secret) else None,
        key_fingerprint=print_,
        key_scope=first((*(d.scope for d in dispatches), *(i.key_scope for i in intents))),
        request_hash=first((*(i.payload_hash for i in intents), *(d.payload_hash for d in dispatches))),
        refs=tuple(sorted(ref for ref in seen if ref is not None)),
        intent_refs=tuple(sorted(operation.intent_refs)),
        expected_count=operation.expected_count,
        attempts=len(operation.executed),
    )
