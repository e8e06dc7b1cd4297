"""Evidence is a set of facts, and merging is union: order, repetition and partition of telemetry can't change it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from counterfoil.facts import Fact, Gap

Evidence = frozenset[Fact]
NONE: Evidence = frozenset()


@dataclass(frozen=True, slots=True)
class Folded:
    """All facts that are known, by operation, and the gaps among them. In memory and pure; a ledger outlives it."""

    operations: Mapping[str, Evidence] = field(default_factory=dict)
    gaps: frozenset[Gap] = frozenset()


def merge(a: Folded, b: Folded) -> Folded:
    """Join two sets of evidence. Associative, commutative, idempotent; the empty one changes nothing."""
    names = a.operations.keys() | b.operations.keys()
    return Folded(
        {name: a.operations.get(name, NONE) | b.operations.get(name, NONE) for name in names},
        a.gaps | b.gaps,
    )


def fold(facts: Iterable[Fact | Gap]) -> Folded:
    """The least that holds these facts."""
    operations: dict[str, set[Fact]] = {}
    gaps: set[Gap] = set()
    for fact in facts:
        if isinstance(fact, Gap):
            gaps.add(fact)
        else:
            operations.setdefault(fact.operation_id, set()).add(fact)
    return Folded({name: Evidence(known) for name, known in operations.items()}, frozenset(gaps))
