"""What the target system holds, as the looks at it tell: presence, count, absence, and in between.

Only an authoritative look is believed. Two sightings of one reference are one effect. A zero is believed only when it
is settled: taken after the last attempt that executed, and after the target's read lag.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from counterfoil.dispatch import Dispatch, differ, hash_kind
from counterfoil.facts import ACCEPTED, APPLIED, PROBE, Effect
from counterfoil.operations import Operation

Looks = tuple[Effect, ...]


class Holdings(NamedTuple):
    """What is known of one operation's effects, foreign ones taken out."""

    looks: tuple[tuple[str | None, Effect], ...]  # those that may be believed, each with the reference it is about
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


def holdings_of(
    operation: Operation, foreign: frozenset[str] = frozenset(), reversals: Mapping[str, Effect] = MappingProxyType({})
) -> Holdings:
    """Read the looks of one operation; ``foreign`` references belong to another one and don't count here.
    ``reversals``: by reference, what other operations reversed."""
    seen = [look for look in operation.looks if look.authoritative]
    reversing = reversing_in([look for look in seen if look.compensates is None or look.compensates not in foreign])
    about = [(_about(look, foreign), look) for look in seen]
    own = tuple((ref, look) for ref, look in about if ref not in foreign and ref not in reversing)
    looks = [look for _, look in own]
    sighted: dict[str, Effect] = {}
    newest: dict[str, int] = {}  # by reference, the place of its newest sighting
    zeros: dict[str, int] = {}  # by reference, the place of its newest settled zero; a newer promise takes it away
    totals: list[int] = []
    for place, (ref, look) in enumerate(own):
        if is_total(look) and (look.count or is_settled(look, operation)):
            totals.append(place)
        elif ref is not None and is_sighting(look):
            sighted.setdefault(ref, look)
            newest[ref] = place
        elif ref is not None and is_zero(look) and is_settled(look, operation):
            zeros[ref] = place
        elif ref is not None and is_promise(look) and look.compensates is None:
            zeros.pop(ref, None)
    here = {by.compensates: by for by in reversing.values() if by is not None}
    reversed_ = {ref: by for ref in sighted if (by := here.get(ref) or reversals.get(ref)) is not None}
    answers = [place for place in totals if _answers(looks[place], operation)]
    denied = answers[-1] if answers and not looks[answers[-1]].count else -1
    known = sighted.keys() | zeros.keys()
    return Holdings(
        looks=own,
        sighted=sighted,
        standing={
            ref: first
            for ref, first in sighted.items()
            if ref in reversed_ or newest[ref] > denied or not _denies(looks[denied], looks[newest[ref]], operation)
        },
        dropped={ref: looks[place] for ref, place in zeros.items() if ref not in sighted},
        pending=tuple(look for look in operation.looks if is_promise(look) and named(look) not in known),
        reversed=reversed_,
        gone={ref: looks[place] for ref, place in zeros.items() if place > newest.get(ref, place)},
        most=max((looks[n] for n in totals if looks[n].count), key=lambda look: look.count or 0, default=None),
        total=looks[answers[-1]] if answers else None,
        too_early=tuple(look for look in looks if is_zero(look) and not is_settled(look, operation)),
        foreign=tuple(look for ref, look in about if ref in foreign and is_sighting(look)),
    )


def reversing_in(looks: list[Effect]) -> dict[object, Effect | None]:
    """What reversed an effect, by its own name: it is no effect itself, whoever looks at it. None where it failed or
    was reversed in its turn: then the effect stands. The looks are those that may be believed, in order of time."""
    found: dict[object, Effect | None] = {}
    for look in looks if any(look.compensates is not None for look in looks) else ():
        name = own_name(look)
        if look.compensates is not None and is_sighting(look):
            if look.compensates in found:
                found[look.compensates] = None
            found[name or (look.compensates,)] = look
        elif name in found and (is_zero(look) or look.stage not in (None, APPLIED, ACCEPTED)):
            found[name] = None
    return found


def named(look: Effect) -> str | None:
    """The reference that a look is about: an event about another object, or a reversal, shows that other one."""
    return look.compensates or look.about_ref or look.effect_ref


def own_name(look: Effect) -> str | None:
    """The name of what a look is about, apart from what that reverses; None where it has none of its own."""
    name = look.about_ref or look.effect_ref
    return None if name == look.compensates else name


def _about(look: Effect, foreign: frozenset[str]) -> str | None:
    """The reference that counts here. To reverse what another operation did is an effect, with a name of its own."""
    return named(look) if look.compensates is None or look.compensates not in foreign else own_name(look)


def is_sighting(look: Effect) -> bool:
    """The object was there. What was reversed existed, whatever count the reversal carries."""
    there = look.compensates is not None or look.count is None or look.count > 0
    return there and look.authoritative and look.stage in (None, APPLIED) and named(look) is not None


def is_total(look: Effect) -> bool:
    """A look that counted all effects instead of naming one."""
    return named(look) is None and look.count is not None and (look.count == 0 or look.stage in (None, APPLIED))


def is_zero(look: Effect) -> bool:
    return look.count == 0 and look.compensates is None


def _answers(total: Effect, operation: Operation) -> bool:
    """Whether a count is of what this operation meant, or of all that it sent: one for another request proves nothing
    about it."""
    if total.payload_hash is None or not contradicts(payloads_meant(operation), total):
        return True
    return {dispatch.payload_hash for dispatch in operation.executed} == {total.payload_hash}


def is_promise(look: Effect) -> bool:
    """The target took the request, and what was asked for is still to come."""
    return look.stage == ACCEPTED and look.count != 0


def is_settled(look: Effect, operation: Operation) -> bool:
    """Late enough to be believed on absence: after the last executed attempt and the target's read lag. The lag is what
    the look says; for a probe, which reads, it is no less than the intents say. Where two hosts gave the times, the lag
    must cover how far their clocks are apart."""
    if operation.last_executed_at is None:
        return True
    lag = max(look.settle_after_s or 0, _lag_of(look, operation))
    return look.observed_at >= operation.last_executed_at + int(lag * 1_000_000_000)


def _denies(zero: Effect, sighting: Effect, operation: Operation) -> bool:
    """Whether a zero is late enough after a sighting to say that the effect is gone: what lags may not show it yet. Of
    what another request made, a count for one request says nothing."""
    if differ(zero.payload_hash, sighting.payload_hash):
        return False
    return zero.observed_at >= sighting.observed_at + int(_lag_of(zero, operation) * 1_000_000_000)


def _lag_of(look: Effect, operation: Operation) -> float:
    return operation.read_lag_s if look.source == PROBE else 0.0


def sightings(operations: Iterable[Operation]) -> Iterable[tuple[Operation, str, Effect]]:
    """Every authoritative sighting of an object, with the operation that shows it."""
    for operation in operations:
        for look in operation.looks:
            if is_sighting(look):
                yield operation, str(named(look)), look


def shown_by(look: Effect) -> tuple[str, ...]:
    """The references that a sighting shows: a reversal has two, what it reversed and its own name."""
    return tuple(ref for ref in (named(look), own_name(look) if look.compensates is not None else None) if ref)


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
