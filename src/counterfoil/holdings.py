"""What the target system holds, as the looks at it tell: presence, count, absence, and in between.

Only an authoritative look is believed. Two sightings of one reference are one effect. A zero is believed only when it
is settled: taken after the last attempt that executed, and after the target's read lag.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from counterfoil.dispatch import Dispatch, hash_kind
from counterfoil.facts import ACCEPTED, APPLIED, PROBE, Effect
from counterfoil.operations import Operation

Looks = tuple[Effect, ...]


class Holdings(NamedTuple):
    """What is known of one operation's effects, foreign ones taken out."""

    sighted: dict[str, Effect]  # by reference, the first sighting of each effect that took place
    standing: dict[str, Effect]  # the same without those that a newer settled total of zero denies
    dropped: dict[str, Effect]  # references that were promised or looked for, and are not there
    pending: Looks  # accepted, and neither made nor dropped yet
    reversed: dict[str, Effect]  # by reference, the fact that reversed it
    gone: dict[str, Effect]  # by reference, the newest look, when it was there and no longer is
    most: Effect | None  # the look that counted most
    total: Effect | None  # the newest count that can be believed, if any
    too_early: Looks  # zeros that are no evidence of absence yet
    foreign: Looks  # sightings of effects that belong to another operation

    @property
    def number(self) -> int:
        """How many effects took place, at least; a newer settled zero denies what it doesn't find."""
        counted = self.most.count if self.most is not None and not self.none_found else 0
        return max(len(self.standing), counted or 0)

    @property
    def none_found(self) -> bool:
        return self.total is not None and self.total.count == 0

    @property
    def absence(self) -> Looks:
        """The looks that show that there is no effect at all; none where that is not shown."""
        if self.number or (self.total is None and self.pending):
            return ()
        return tuple(self.dropped.values()) if self.total is None else (self.total,)


def holdings_of(operation: Operation, foreign: frozenset[str] = frozenset()) -> Holdings:
    """Read the looks of one operation; ``foreign`` references belong to another one and don't count here."""
    looks = [look for look in operation.looks if look.authoritative and named(look) not in foreign]
    sighted: dict[str, Effect] = {}
    reversed_: dict[str, Effect] = {}
    newest: dict[str, int] = {}  # by reference, the place of its newest sighting
    zeros: dict[str, int] = {}  # by reference, the place of its newest settled zero
    totals: list[int] = []
    for place, look in enumerate(looks):
        ref = named(look)
        if is_total(look) and (look.count or is_settled(look, operation)):
            totals.append(place)
        elif ref is not None and is_sighting(look):
            sighted.setdefault(ref, look)
            newest[ref] = place
            if look.compensates is not None:
                reversed_[ref] = look
        elif ref is not None and is_zero(look) and is_settled(look, operation):
            zeros[ref] = place
    denied = totals[-1] if totals and not looks[totals[-1]].count else -1
    known = sighted.keys() | zeros.keys()
    return Holdings(
        sighted=sighted,
        standing={
            ref: seen
            for ref, seen in sighted.items()
            if ref in reversed_ or newest[ref] > denied or not _denies(looks[denied], looks[newest[ref]], operation)
        },
        dropped={ref: looks[place] for ref, place in zeros.items() if ref not in sighted},
        pending=tuple(
            look for look in operation.looks if look.stage == ACCEPTED and look.count != 0 and named(look) not in known
        ),
        reversed=reversed_,
        gone={ref: looks[place] for ref, place in zeros.items() if place > newest.get(ref, place)},
        most=max((looks[n] for n in totals if looks[n].count), key=lambda look: look.count or 0, default=None),
        total=looks[totals[-1]] if totals else None,
        too_early=tuple(look for look in looks if is_zero(look) and not is_settled(look, operation)),
        foreign=tuple(look for look in operation.looks if is_sighting(look) and named(look) in foreign),
    )


def named(look: Effect) -> str | None:
    """The reference that a look is about: an event about another object, or a reversal, shows that other one."""
    return look.about_ref or look.compensates or look.effect_ref


def is_sighting(look: Effect) -> bool:
    """The object was there. What was reversed existed, whatever count the reversal carries."""
    there = look.compensates is not None or look.count is None or look.count > 0
    return there and look.authoritative and look.stage in (None, APPLIED) and named(look) is not None


def is_total(look: Effect) -> bool:
    """A look that counted all effects instead of naming one."""
    return named(look) is None and look.count is not None and (look.count == 0 or look.stage in (None, APPLIED))


def is_zero(look: Effect) -> bool:
    return look.count == 0 and look.compensates is None


def is_settled(look: Effect, operation: Operation) -> bool:
    """Late enough to be believed on absence: after the last executed attempt and the target's read lag. The lag is what
    the look says; for a probe, which reads, it is no less than the intents say. Where two hosts gave the times, the lag
    must cover how far their clocks are apart."""
    if operation.last_executed_at is None:
        return True
    lag = max(look.settle_after_s or 0, _lag_of(look, operation))
    return look.observed_at >= operation.last_executed_at + int(lag * 1_000_000_000)


def _denies(zero: Effect, sighting: Effect, operation: Operation) -> bool:
    """Whether a zero is late enough after a sighting to say that the effect is gone: what lags may not show it yet."""
    return zero.observed_at >= sighting.observed_at + int(_lag_of(zero, operation) * 1_000_000_000)


def _lag_of(look: Effect, operation: Operation) -> float:
    return operation.read_lag_s if look.source == PROBE else 0.0


def sightings(operations: Iterable[Operation]) -> Iterable[tuple[Operation, str, Effect]]:
    """Every authoritative sighting of an object, with the operation that shows it."""
    for operation in operations:
        for look in operation.looks:
            if is_sighting(look):
                yield operation, str(named(look)), look


def payloads_meant(operation: Operation) -> Mapping[str, set[str]]:
    """The payloads, by the kind of their hash, that a receipt may name: those that were meant, and those that were sent
    after a definite rejection of these. Where no intent names a payload, the attempts' payloads stand for it."""
    allowed = {intent.payload_hash for intent in operation.intents if intent.payload_hash is not None}
    allowed |= set(_sent_after_rejection(operation.dispatches)) if allowed else operation.payload_hashes
    by_kind: dict[str, set[str]] = {}
    for payload in allowed:
        by_kind.setdefault(hash_kind(payload), set()).add(payload)
    return by_kind


def contradicts(allowed: Mapping[str, set[str]], look: Effect) -> bool:
    """The receipt names another payload than it may; where nothing comparable is known, nothing is contradicted."""
    comparable = allowed.get(hash_kind(look.payload_hash or ""), ())
    return look.payload_hash is not None and bool(comparable) and look.payload_hash not in comparable


def _sent_after_rejection(dispatches: tuple[Dispatch, ...]) -> Iterable[str]:
    rejected = False
    for dispatch in dispatches:
        if rejected and dispatch.executed and dispatch.payload_hash is not None:
            yield dispatch.payload_hash
        rejected = rejected or not dispatch.executed
