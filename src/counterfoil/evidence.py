"""Evidence is a set of facts, and merging is union: order, repetition and partition of telemetry can't change it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from counterfoil.facts import Fact, Gap

Evidence = frozenset[Fact]
NONE: Evidence = frozenset()


@dataclass(frozen=True, slots=True)
class Ledger:
    """All facts that are known, by operation, and the gaps that are known to be among them."""

    operations: Mapping[str, Evidence] = field(default_factory=dict)
    gaps: frozenset[Gap] = frozenset()


def merge(a: Ledger, b: Ledger) -> Ledger:
    """Join two ledgers. Associative, commutative, idempotent; the empty ledger changes nothing."""
    names = a.operations.keys() | b.operations.keys()
    return Ledger(
        {name: a.operations.get(name, NONE) | b.operations.get(name, NONE) for name in names},
        a.gaps | b.gaps,
    )


def fold(facts: Iterable[Fact | Gap]) -> Ledger:
    """The least ledger that holds these facts."""
    operations: dict[str, set[Fact]] = {}
    gaps: set[Gap] = set()
    for fact in facts:
        if isinstance(fact, Gap):
            gaps.add(fact)
        else:
            operations.setdefault(fact.operation_id, set()).add(fact)
    return Ledger({name: Evidence(known) for name, known in operations.items()}, frozenset(gaps))
