"""One attempt, out of the facts that are views of it.

A span that started and the same span ended, a second instrumentation of one call, a workflow's replay: they become one
`Dispatch`. An attempt that doesn't name its key has the intent's; one that says "none" has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import NamedTuple, TypeVar

from counterfoil.evidence import Evidence
from counterfoil.facts import (
    FROM_INTENT,
    NO_REQUEST,
    PROVIDER_REJECTED,
    UNSEEN,
    Attempt,
    Inherited,
    Intent,
    Reported,
    Transport,
)
from counterfoil.joining import by_attempt

INCOMPARABLE = ("absent", "truncated")
"""States of a payload's hash in which it is never compared with another."""

MAX_SKEW_S = 600
"""So far the clocks of two hosts may be apart, in seconds, before a key's lifetime is held against anybody. Absence
rests on the tool's read lag instead."""

T = TypeVar("T")


class Dispatch(NamedTuple):
    """One attempt. ``views`` are the facts that show it, the one that counts first: ended before started."""

    views: tuple[Attempt, ...]
    at: int  # when it was first seen
    ended_at: int  # when the view that counts was taken
    transport: Transport
    http_status: int | None
    reported: Reported | None
    executed: bool  # False only where it provably did nothing
    proof: str | None
    payload_hash: str | None  # only if it may be compared
    key: str | None
    scope: str | None
    key_ttl_s: float | None
    key_unseen: bool  # nobody says which key it had, nor that it had none
    wire_requests: int
    clean: bool  # the transport says yes and nothing contradicts it

    @property
    def witness(self) -> Evidence:
        return Evidence(self.views)

    @property
    def process(self) -> str | None:
        """Whose clock its times are by: that of the view that counts."""
        return self.views[0].process

    @property
    def used_its_key(self) -> bool:
        """A request that was never sent has used no key; one that the provider refused has."""
        return self.key is not None and (self.executed or self.proof == PROVIDER_REJECTED)

    @property
    def said_success(self) -> bool:
        if not self.executed:
            return False
        return self.clean if self.reported is None else self.reported is Reported.SUCCESS


def first(values: Iterable[T | None]) -> T | None:
    """The first value that was said."""
    for value in values:
        if value is not None:
            return value
    return None


def differ(a: str | None, b: str | None) -> bool:
    """Two payloads are known to differ. A hash that is missing or of another kind can't say so."""
    return a is not None and b is not None and a != b and hash_kind(a) == hash_kind(b)


def skew_between(a: str | None, b: str | None) -> int:
    """How far the clocks of two processes may be apart, in nanoseconds; not at all where either isn't named."""
    return MAX_SKEW_S * 1_000_000_000 if a is not None and b is not None and a != b else 0


def hash_kind(payload_hash: str) -> str:
    """``sha256`` or ``hmac-sha256``: hashes of two kinds are never compared."""
    return payload_hash.rpartition(":")[0]


# ------------------------------------------------------- many views, one attempt


def dispatches_of(attempts: Sequence[Attempt], intents: Sequence[Intent]) -> tuple[Dispatch, ...]:
    lent = _Lent(
        key=first([intent.idempotency_key for intent in intents]),
        scope=first([intent.key_scope for intent in intents]),
        ttl_s=first([intent.key_ttl_s for intent in intents]),
    )
    unseen = (UNSEEN, NO_REQUEST) if any(isinstance(a.idempotency_key, str) for a in attempts) else (UNSEEN,)
    return tuple([_dispatch(views, lent, unseen) for views in by_attempt(attempts)])


class _Lent(NamedTuple):
    """What intents lend attempts that don't say it: each as the first intent that names it does."""

    key: str | None
    scope: str | None
    ttl_s: float | None


def _dispatch(part: list[Attempt], lent: _Lent, unseen: tuple[str, ...]) -> Dispatch:
    views = part if len(part) == 1 else sorted(part, key=lambda v: (not _ended(v), bool(v.replay)))
    best = views[0]
    whole = best if len(views) == 1 else _completed(views)
    said, scope, ttl = whole.idempotency_key, whole.key_scope, whole.key_ttl_s
    key = lent.key if isinstance(said, Inherited) else said
    return Dispatch(
        views=tuple(views),
        at=min([view.observed_at for view in views]),
        ended_at=max([v.observed_at for v in views if v is best or (v.attempt_id == best.attempt_id and not v.replay)]),
        transport=whole.transport,
        http_status=whole.http_status,
        reported=whole.reported,
        executed=whole.executed is not False,
        proof=whole.proof,
        payload_hash=None if whole.payload_state in INCOMPARABLE else whole.payload_hash,
        key=key,
        scope=lent.scope if isinstance(scope, Inherited) else scope,
        key_ttl_s=lent.ttl_s if ttl is None else ttl,
        key_unseen=key is None and said is FROM_INTENT and whole.key_state in unseen,
        wire_requests=whole.wire_requests or 1,
        clean=_clean(whole),
    )


class _Whole(NamedTuple):
    """What all views of one attempt say together, in the words of a single one."""

    transport: Transport
    started_only: bool | None
    http_status: int | None
    reported: Reported | None
    executed: bool | None
    proof: str | None
    payload_hash: str | None
    payload_state: str | None
    idempotency_key: str | Inherited | None
    key_scope: str | Inherited | None
    key_ttl_s: float | None
    key_state: str | None
    wire_requests: int | None
    exception_event: bool | None


def _completed(views: Sequence[Attempt]) -> _Whole:
    """The ended view wins; what it doesn't say, the next one may. An exception in any of them stays one."""
    best = views[0]
    hashed = next((v for v in views if v.payload_hash is not None and v.payload_state not in INCOMPARABLE), best)
    http_status, reported, executed, proof, key_ttl_s, key_state = map(first, zip(*map(_said, views), strict=True))
    return _Whole(
        transport=best.transport,
        started_only=best.started_only,
        http_status=http_status,
        reported=reported,
        executed=executed,
        proof=proof,
        payload_hash=hashed.payload_hash,
        payload_state=hashed.payload_state,
        idempotency_key=next((k for v in views if (k := v.idempotency_key) is not FROM_INTENT), FROM_INTENT),
        key_scope=next((s for v in views if (s := v.key_scope) is not FROM_INTENT), FROM_INTENT),
        key_ttl_s=key_ttl_s,
        key_state=key_state,
        wire_requests=max([view.wire_requests or 1 for view in views]),
        exception_event=any(view.exception_event for view in views),
    )


_said = attrgetter("http_status", "reported", "executed", "proof", "key_ttl_s", "key_state")
"""What the first view to say it says for all of them."""


def _ended(view: Attempt) -> bool:
    return not view.started_only and (view.transport is not Transport.STARTED or view.executed is False)


def _clean(view: Attempt | _Whole) -> bool:
    """It ended, the transport says yes, and nothing contradicts it. Accepted (202) is not yes."""
    if view.started_only or view.exception_event:
        return False
    if view.http_status is None:
        return view.transport is Transport.SUCCESS
    yes = 200 <= view.http_status < 300 and view.http_status != 202
    return yes and view.transport in (Transport.SUCCESS, Transport.HTTP_STATUS)
