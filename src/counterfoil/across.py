"""What operations share: an idempotency key, a reference, a business intent.

Three questions can't be answered from one operation alone. Was its key used for another payload elsewhere? Does the
effect that it shows belong to another operation? Did operations that mean the same thing make more effects than one?
`around` answers them for a set of operations; the answer for one operation depends only on those that it shares
something with and on those that these share something with, so any set that holds both gives the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from counterfoil.dispatch import Dispatch, differ, first, hash_kind
from counterfoil.evidence import NONE, Evidence
from counterfoil.facts import FROM_INTENT, Effect, Gap, Intent
from counterfoil.holdings import Holdings, holdings_of
from counterfoil.operations import Operation
from counterfoil.owners import counted_by, foreign_to, owners_of, reversals_by
from counterfoil.records import canonical

KeyName = tuple[str, str | None]  # an idempotency key and the scope in which the provider knows it


class KeyUse(NamedTuple):
    """A key went out with one attempt of an operation."""

    operation: Operation
    dispatch: Dispatch

    @property
    def place(self) -> tuple[int, str]:
        return self.dispatch.at, canonical(self.dispatch.views[0])


@dataclass(frozen=True, slots=True)
class Pool:
    """The effects of all operations that mean one thing, and how many they should have together."""

    expected: int
    sighted: Mapping[str, Evidence]  # by reference: its first sighting, and the intent that puts it here
    reversed: frozenset[str]  # the references among them that were reversed
    most: Effect | None
    most_witness: Evidence

    @property
    def number(self) -> int:
        """How many effects took place, at least."""
        return max(len(self.sighted), (self.most and self.most.count) or 0)


@dataclass(frozen=True, slots=True)
class Around:
    """What a judge must know beside one operation's own facts."""

    conflicts: Mapping[KeyName, tuple[KeyUse, ...]] = field(default_factory=dict)  # two uses that differ
    owners: Mapping[str, Operation] = field(default_factory=dict)  # of references shown by more than one operation
    pools: Mapping[str, Pool] = field(default_factory=dict)  # by intent_ref
    reversals: Mapping[str, Effect] = field(default_factory=dict)  # by reference, what another than its owner reversed
    gaps: frozenset[Gap] = frozenset()


ALONE = Around()


def around(operations: Iterable[Operation], gaps: frozenset[Gap] = frozenset()) -> Around:
    """What these operations share with each other. Reads share nothing: repeating them is fine."""
    actors = [operation for operation in operations if not operation.is_read]
    if len(actors) == 1:  # it can only be in conflict with itself
        return Around(_conflicts(actors), gaps=gaps)
    owners = owners_of(actors)
    reversals = reversals_by(actors, owners)
    return Around(_conflicts(actors), owners, _pools(actors, owners, reversals), reversals, gaps)


class Brief(NamedTuple):
    """All that a rule may look at: the operation, what it shares with others, and what the target holds."""

    operation: Operation
    around: Around
    holdings: Holdings


Rule = Callable[[Brief], Evidence]
"""A question with its witnesses for an answer; no witness, no."""


def brief(operation: Operation, surroundings: Around) -> Brief:
    """What a rule may look at for this operation, effects that belong to another one taken out."""
    foreign = foreign_to(operation, surroundings.owners)
    return Brief(operation, surroundings, holdings_of(operation, foreign, surroundings.reversals))


# --------------------------------------------------------------------------- keys


def key_uses(operation: Operation) -> Iterable[tuple[KeyName, Dispatch]]:
    """The keys that left with a request. An intent alone uses no key, nor does an attempt that was never sent."""
    for dispatch in operation.dispatches:
        if dispatch.used_its_key and dispatch.key is not None:
            yield (dispatch.key, dispatch.scope), dispatch


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
            ordered = sorted((KeyUse(*use) for use in by_payload.values()), key=lambda use: use.place)
            kinds = sorted({hash_kind(payload) for payload in by_payload})
            same_kind = ([u for u in ordered if hash_kind(u.dispatch.payload_hash or "") == kind] for kind in kinds)
            pairs = [tuple(group[:2]) for group in same_kind if len(group) > 1]
            if pairs:
                found[name] = min(pairs, key=lambda pair: pair[1].place)
    return found


def conflicting_uses(operation: Operation, conflicts: Mapping[KeyName, tuple[KeyUse, ...]]) -> tuple[KeyUse, ...]:
    """The first use of a key here and one that differs from it; none where no key of this operation is in conflict.

    An operation that used such a key with a payload that can't be compared is shown with two others that differ.
    """
    uses = [(KeyUse(operation, dispatch), conflicts.get(name, ())) for name, dispatch in key_uses(operation)]
    for use, others in uses:
        for other in others:
            if differ(use.dispatch.payload_hash, other.dispatch.payload_hash):
                return use, other
    return next(((use, *others) for use, others in uses if others), ())


def borne_out(uses: Iterable[KeyUse]) -> Evidence:
    """The facts that show these uses: the attempts, and the intents that they have their key and scope from."""
    by_operation: dict[str, tuple[Operation, list[Dispatch]]] = {}
    for use in uses:
        by_operation.setdefault(use.operation.operation_id, (use.operation, []))[1].append(use.dispatch)
    shown = (_lent(*group).union(*(dispatch.witness for dispatch in group[1])) for group in by_operation.values())
    return NONE.union(*shown)


def _lent(operation: Operation, dispatches: Iterable[Dispatch]) -> Evidence:
    """The fewest intents that say what these attempts leave to them; not only such as would excuse them as reads."""
    views = [dispatch.views for dispatch in dispatches]
    key = any(all(view.idempotency_key is FROM_INTENT for view in seen) for seen in views)
    scope = any(all(view.key_scope is FROM_INTENT for view in seen) for seen in views)

    def says(intents: Iterable[Intent]) -> tuple[object, ...]:
        said = list(intents)
        acts = not said or any(intent.side_effect is not False for intent in said)
        return acts, key and first(i.idempotency_key for i in said), scope and first(i.key_scope for i in said)

    enough = (
        first(intent for intent in operation.intents if intent.idempotency_key is not None),
        first(intent for intent in operation.intents if intent.key_scope is not None),
        first(intent for intent in operation.intents if intent.side_effect is not False),
    )
    chosen = [intent for intent in operation.intents if any(intent is other for other in enough)]
    for intent in tuple(chosen):
        fewer = [other for other in chosen if other is not intent]
        chosen = fewer if says(fewer) == says(operation.intents) else chosen
    return Evidence(chosen)


def _earlier(one: Dispatch, other: Dispatch) -> bool:
    if one.at != other.at:
        return one.at < other.at
    return canonical(one.views[0]) < canonical(other.views[0])


# ------------------------------------------------------------------------ intents


def _pools(
    operations: Iterable[Operation], owners: Mapping[str, Operation], reversals: Mapping[str, Effect]
) -> dict[str, Pool]:
    """By business intent, for those that several operations share. One whose name is shared by several calls is left
    out: nobody knows which of them meant it."""
    members: dict[str, list[Operation]] = {}
    for operation in operations:
        for intent_ref in operation.intent_refs if not operation.unlike_intents else ():
            members.setdefault(intent_ref, []).append(operation)
    shared = {ref: ops for ref, ops in members.items() if len(ops) > 1}
    concerned = {operation.operation_id: operation for ops in shared.values() for operation in ops}
    held = {name: holdings_of(op, foreign_to(op, owners), reversals) for name, op in concerned.items()}
    return {ref: _pool(ref, ops, held, owners) for ref, ops in shared.items()}


def _pool(
    intent_ref: str, operations: list[Operation], held: Mapping[str, Holdings], owners: Mapping[str, Operation]
) -> Pool:
    sighted: dict[str, tuple[Effect, Evidence]] = {}
    reversed_: set[str] = set()
    most: tuple[Effect, Evidence] | None = None
    for operation in sorted(operations, key=lambda operation: operation.operation_id):
        holdings = held[operation.operation_id]
        link = joining(operation, intent_ref)
        for ref, look in holdings.sighted.items():
            if ref not in sighted or look.observed_at < sighted[ref][0].observed_at:
                sighted[ref] = (look, link | counted_by(ref, look, owners))
        reversed_.update(holdings.reversed)
        if holdings.most is not None and (most is None or (holdings.most.count or 0) > (most[0].count or 0)):
            most = (holdings.most, link | {holdings.most})
    return Pool(
        expected=max(operation.expected_count for operation in operations),
        sighted={ref: witness for ref, (_, witness) in sighted.items()},
        reversed=frozenset(reversed_),
        most=most[0] if most else None,
        most_witness=most[1] if most else NONE,
    )


def joining(operation: Operation, intent_ref: str) -> Evidence:
    """By what an operation belongs to a business intent: the first intent that names it, and one that isn't a read."""
    acting = [intent for intent in operation.intents if intent.side_effect is not False]
    named = [intent for intent in operation.intents if intent.intent_ref == intent_ref]
    both = next((intent for intent in acting if intent.intent_ref == intent_ref), None)
    return Evidence({both} if both is not None else (named[0], acting[0]))
