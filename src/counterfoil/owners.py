"""To whom an effect belongs that more than one operation shows, and who reversed what another one did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from counterfoil.facts import Effect
from counterfoil.holdings import reversing_in, shown_by, sightings
from counterfoil.operations import Operation
from counterfoil.records import canonical

Shown = tuple[Operation, list[Effect]]


def owners_of(operations: Iterable[Operation]) -> dict[str, Operation]:
    """To whom a reference belongs that more than one operation shows. A reversal shows its own name, too."""
    shown: dict[str, dict[str, Shown]] = {}
    for operation, _, look in sightings(operations):
        for ref in shown_by(look):
            shown.setdefault(ref, {}).setdefault(operation.operation_id, (operation, []))[1].append(look)
    return {ref: _owner(ref, list(by.values())) for ref, by in shown.items() if len(by) > 1}


def foreign_to(operation: Operation, owners: Mapping[str, Operation]) -> frozenset[str]:
    """The references that an operation shows and that belong to another one, with which it shares no intent."""
    if not owners:
        return frozenset()
    return frozenset(
        ref
        for _, _, look in sightings((operation,))
        for ref in shown_by(look)
        if ref in owners
        and owners[ref].operation_id != operation.operation_id
        and not owners[ref].intent_refs & operation.intent_refs
    )


def reversals_by(operations: Iterable[Operation], owners: Mapping[str, Operation]) -> dict[str, Effect]:
    """By reference, what another operation than its owner reversed it with: the earliest that still holds."""
    found: dict[str, Effect] = {}
    for operation in operations if owners else ():
        for look in reversing_in([look for look in operation.looks if look.authoritative]).values():
            ref = None if look is None else look.compensates
            if look is None or ref is None or ref not in owners or owners[ref] is operation:
                continue
            found[ref] = min(found.get(ref, look), look, key=lambda one: (one.observed_at, canonical(one)))
    return found


def counted_by(ref: str, look: Effect, owners: Mapping[str, Operation]) -> frozenset[Effect]:
    """A sighting of an effect; with it, if it reversed what another operation did, the look by which that is so."""
    if look.compensates in (None, ref):
        return frozenset({look})
    undone = str(look.compensates)
    shown = [other for _, known, other in sightings((owners[undone],)) if known == undone]
    return frozenset({look, next((other for other in shown if other.compensates != undone), shown[0])})


def _owner(ref: str, candidates: list[Shown]) -> Operation:
    """The one whose payload it names; else one that saw it not replayed; else the earliest; else the smaller id. Who
    only reversed it doesn't come into question beside one that shows it, nor who shows what it reversed."""
    undone = {look.compensates for _, looks in candidates for look in looks if look.compensates not in (None, ref)}
    if undone:
        candidates = [one for one in candidates if undone.isdisjoint(_shown_directly(one[0]))] or candidates
    direct = [(operation, [look for look in looks if look.compensates != ref]) for operation, looks in candidates]
    if direct := [candidate for candidate in direct if candidate[1]]:
        payloads = {look.payload_hash for _, looks in direct for look in looks if look.payload_hash is not None}
        named = [candidate for candidate in direct if payloads & candidate[0].payload_hashes]
        direct = named or direct
        fresh = [candidate for candidate in direct if any(not look.replayed for look in candidate[1])]
        direct = fresh or direct
    candidates = direct or candidates
    return min(candidates, key=lambda c: (min(look.observed_at for look in c[1]), c[0].operation_id))[0]


def _shown_directly(operation: Operation) -> set[str]:
    return {ref for _, ref, look in sightings((operation,)) if ref != look.compensates}
