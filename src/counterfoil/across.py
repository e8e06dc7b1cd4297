"""What operations share: an idempotency key, a reference, a business intent.

Three questions can't be answered from one operation alone. Was its key used for another payload elsewhere? Does the
effect that it shows belong to another operation? Did operations that mean the same thing make more effects than one?
`around` answers them for a set of operations; the answer for one operation depends only on those that it shares
something with, so any set that holds these gives the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from counterfoil.dispatch import Dispatch, differ, hash_kind
from counterfoil.evidence import NONE, Evidence
from counterfoil.facts import Effect, Gap, Intent
from counterfoil.holdings import Holdings, holdings_of, sightings
from counterfoil.operation import Operation
from counterfoil.records import canonical

KeyName = tuple[str, str | None]  # an idempotency key and the scope in which the provider knows it


@dataclass(frozen=True, slots=True)
class KeyUse:
    """A key went out with a payload. ``witness`` also holds the intents that the attempt had its key from."""

    payload_hash: str
    at: tuple[int, str]
    witness: Evidence


@dataclass(frozen=True, slots=True)
class Pool:
    """The effects of all operations that mean one thing, and how many they should have together."""

    expected: int
    sighted: Mapping[str, Evidence]  # by reference: its first sighting, and the intent that puts it here
    most: Effect | None
    most_witness: Evidence


@dataclass(frozen=True, slots=True)
class Around:
    """What a judge must know beside one operation's own facts."""

    conflicts: Mapping[KeyName, tuple[KeyUse, ...]] = field(default_factory=dict)  # two uses that differ
    owners: Mapping[str, Operation] = field(default_factory=dict)  # of references shown by more than one operation
    pools: Mapping[str, Pool] = field(default_factory=dict)  # by intent_ref
    gaps: frozenset[Gap] = frozenset()


ALONE = Around()


def around(operations: Iterable[Operation], gaps: frozenset[Gap] = frozenset()) -> Around:
    """What these operations share with each other. Reads share nothing: repeating them is fine."""
    actors = [operation for operation in operations if not operation.is_read]
    owners = _owners(actors)
    return Around(_conflicts(actors), owners, _pools(actors, owners), gaps)


@dataclass(frozen=True, slots=True)
class Brief:
    """All that a rule may look at: the operation, what it shares with others, and what the target holds."""

    operation: Operation
    around: Around
    holdings: Holdings


Rule = Callable[[Brief], Evidence]
"""A question with its witnesses for an answer; no witness, no."""


def brief(operation: Operation, surroundings: Around) -> Brief:
    """What a rule may look at for this operation, effects that belong to another one taken out."""
    foreign = _foreign(operation, surroundings.owners)
    return Brief(operation, surroundings, holdings_of(operation, foreign))


# --------------------------------------------------------------------------- keys


def key_uses(operation: Operation) -> Iterable[tuple[KeyName, Dispatch]]:
    """The keys that left with a request. An intent alone uses no key, nor does an attempt that was never sent."""
    for dispatch in operation.dispatches:
        if dispatch.used_its_key and dispatch.key is not None:
            yield (dispatch.key, dispatch.scope), dispatch


def key_use(operation: Operation, dispatch: Dispatch, payload_hash: str) -> KeyUse:
    named_by_intent = dispatch.key not in (view.idempotency_key for view in dispatch.views)
    scoped_by_intent = dispatch.scope not in (None, *(view.key_scope for view in dispatch.views))
    intents = operation.intents if named_by_intent or scoped_by_intent else ()
    lenders = (i for i in intents if i.idempotency_key is not None or i.key_scope is not None)
    return KeyUse(payload_hash, (dispatch.at, canonical(dispatch.views[0])), dispatch.witness.union(lenders))


def _conflicts(operations: Iterable[Operation]) -> dict[KeyName, tuple[KeyUse, ...]]:
    """Keys that went out with two payloads: for each, the two that are earliest and differ."""
    uses: dict[KeyName, dict[str, tuple[Operation, Dispatch]]] = {}
    for operation in operations:
        for name, dispatch in key_uses(operation):
            if dispatch.payload_hash is None:
                continue
            by_payload = uses.setdefault(name, {})
            known = by_payload.get(dispatch.payload_hash)
            if known is None or _earlier(dispatch, known[1]):
                by_payload[dispatch.payload_hash] = (operation, dispatch)
    found: dict[KeyName, tuple[KeyUse, ...]] = {}
    for name, by_payload in uses.items():
        if len(by_payload) > 1:
            ordered = sorted((key_use(op, d, payload) for payload, (op, d) in by_payload.items()), key=lambda u: u.at)
            kinds = sorted({hash_kind(use.payload_hash) for use in ordered})
            same_kind = ([use for use in ordered if hash_kind(use.payload_hash) == kind] for kind in kinds)
            pairs = [tuple(group[:2]) for group in same_kind if len(group) > 1]
            if pairs:
                found[name] = min(pairs, key=lambda pair: pair[1].at)
    return found


def conflict_witness(operation: Operation, dispatch: Dispatch, pair: tuple[KeyUse, ...]) -> Evidence:
    """The use of the key here, and one elsewhere that differs; both of the pair where this one can't be compared."""
    if dispatch.payload_hash is None:
        own = key_use(operation, dispatch, "").witness
        return own.union(*(use.witness for use in pair))
    other = next((use for use in pair if differ(use.payload_hash, dispatch.payload_hash)), None)
    own = key_use(operation, dispatch, dispatch.payload_hash).witness
    return own.union(*(use.witness for use in pair)) if other is None else own | other.witness


def _earlier(one: Dispatch, other: Dispatch) -> bool:
    if one.at != other.at:
        return one.at < other.at
    return canonical(one.views[0]) < canonical(other.views[0])


# --------------------------------------------------------------------- references


def _owners(operations: Iterable[Operation]) -> dict[str, Operation]:
    """To whom a reference belongs that more than one operation shows."""
    shown: dict[str, dict[str, tuple[Operation, list[Effect]]]] = {}
    for operation, ref, look in sightings(operations):
        shown.setdefault(ref, {}).setdefault(operation.operation_id, (operation, []))[1].append(look)
    return {ref: _owner(list(by.values())) for ref, by in shown.items() if len(by) > 1}


def _owner(candidates: list[tuple[Operation, list[Effect]]]) -> Operation:
    """The one whose payload it names; else one that saw it not replayed; else the earliest; else the smaller id."""
    payloads = {look.payload_hash for _, looks in candidates for look in looks if look.payload_hash is not None}
    named = [c for c in candidates if payloads & c[0].payload_hashes]
    candidates = named or candidates
    fresh = [c for c in candidates if any(not look.replayed for look in c[1])]
    candidates = fresh or candidates
    return min(candidates, key=lambda c: (min(look.observed_at for look in c[1]), c[0].operation_id))[0]


def _foreign(operation: Operation, owners: Mapping[str, Operation]) -> frozenset[str]:
    if not owners:
        return frozenset()
    return frozenset(
        ref
        for _, ref, _ in sightings((operation,))
        if ref in owners
        and owners[ref].operation_id != operation.operation_id
        and not owners[ref].intent_refs & operation.intent_refs
    )


# ------------------------------------------------------------------------ intents


def _pools(operations: Iterable[Operation], owners: Mapping[str, Operation]) -> dict[str, Pool]:
    members: dict[str, list[Operation]] = {}
    for operation in operations:
        for intent_ref in operation.intent_refs:
            members.setdefault(intent_ref, []).append(operation)
    return {ref: _pool(ref, ops, owners) for ref, ops in members.items() if len(ops) > 1}


def _pool(intent_ref: str, operations: list[Operation], owners: Mapping[str, Operation]) -> Pool:
    sighted: dict[str, tuple[Effect, Evidence]] = {}
    most: tuple[Effect, Evidence] | None = None
    for operation in sorted(operations, key=lambda operation: operation.operation_id):
        holdings = holdings_of(operation, _foreign(operation, owners))
        link = Evidence({joining_intent(operation, intent_ref)})
        for ref, look in holdings.sighted.items():
            if ref not in sighted or look.observed_at < sighted[ref][0].observed_at:
                sighted[ref] = (look, link | {look})
        if holdings.most is not None and (most is None or (holdings.most.count or 0) > (most[0].count or 0)):
            most = (holdings.most, link | {holdings.most})
    return Pool(
        expected=max(operation.expected_count for operation in operations),
        sighted={ref: witness for ref, (_, witness) in sighted.items()},
        most=most[0] if most else None,
        most_witness=most[1] if most else NONE,
    )


def joining_intent(operation: Operation, intent_ref: str) -> Intent:
    """The first intent by which an operation belongs to a business intent."""
    return next(intent for intent in operation.intents if intent.intent_ref == intent_ref)
