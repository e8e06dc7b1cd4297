"""What was read so far: packed facts by operation, gaps, message lists, and what could not be used.

Memory grows with the distinct facts, which every answer that doesn't depend on order must have seen; it does not grow
with lines, resends, or spans that are nobody's evidence.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from counterfoil.facts import Fact, Unreadable
from counterfoil.histories.history import History
from counterfoil.packed import Packed, pack

MAX_DIGESTS = 1_000_000
"""So many different unusable lines are told apart; past that, one that comes again is counted again."""

MAX_NOTES = 20
"""So many unusable lines are named; the others are counted."""

Facts = dict[Packed, None]
"""The facts of one operation, a set in the order of arrival."""


@dataclass(slots=True)
class Intake:
    """Grows only. Every count is a bound from below of what a person would count by hand."""

    operations: dict[str, Facts] = field(default_factory=dict)
    gaps: Facts = field(default_factory=dict)
    histories: dict[str, set[History]] = field(default_factory=dict)
    understood: int = 0  # lines that were what they should be, whether or not they held a fact
    skipped: int = 0  # distinct lines that were not used
    unlisted: int = 0  # fields that nobody knows, in lines that were used
    notes: list[str] = field(default_factory=list)  # the first skipped lines: file, line number and why
    read: Counter[str] = field(default_factory=Counter)  # facts that spans were read into, by vocabulary
    spilled: Counter[str] = field(default_factory=Counter)  # what spans said and could not be taken in, by cause
    _digests: set[bytes] = field(default_factory=set)

    def add(self, operation_id: str | None, packed: Packed) -> None:
        """Take in a fact; what belongs to no operation is a gap."""
        if operation_id is None:
            self.gaps[packed] = None
            return
        facts = self.operations.get(operation_id)
        if facts is None:
            facts = self.operations[operation_id] = {}
        facts[packed] = None

    def add_fact(self, fact: Fact) -> None:
        self.add(fact.operation_id, pack(fact))

    def add_history(self, history: History) -> None:
        self.histories.setdefault(history.history_id, set()).add(history)

    def skip(self, where: str, what: str, digest: bytes, operation_id: str | None = None) -> None:
        """A line was not used. The operation that it named, if any, can no longer be known in full."""
        if operation_id is not None:
            self.add(operation_id, pack(Unreadable(operation_id=operation_id, observed_at=0, field=what)))
        if digest in self._digests:
            return
        if len(self._digests) < MAX_DIGESTS:
            self._digests.add(digest)
        self.skipped += 1
        if len(self.notes) < MAX_NOTES:
            self.notes.append(f"{where}: {what}")
