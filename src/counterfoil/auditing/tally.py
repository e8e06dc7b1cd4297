"""What an audit came to, counted while it goes by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from counterfoil.auditing.intake import Intake
from counterfoil.auditing.judging import facts_read, gaps_of
from counterfoil.auditing.told import Told, history_words
from counterfoil.histories.audit import HistoryJudgement


@dataclass(slots=True)
class Tally:
    """``words``: every verdict, outcome and finding that was said. ``verifiable``: operations, reads left out, at whose
    target somebody looked who may be believed; of ``acting``, all operations that are no reads."""

    facts: int = 0
    operations: Counter[str] = field(default_factory=Counter)
    histories: Counter[str] = field(default_factory=Counter)
    words: set[str] = field(default_factory=set)
    acting: int = 0
    verifiable: int = 0

    def of_intake(self, intake: Intake) -> None:
        self.facts += len(gaps_of(intake)) + sum(len(lists) for lists in intake.histories.values())

    def add(self, other: Tally) -> None:
        """Count what was counted elsewhere, of other operations."""
        self.facts += other.facts
        self.operations += other.operations
        self.histories += other.histories
        self.words |= other.words
        self.acting += other.acting
        self.verifiable += other.verifiable

    def passing(self, judged: Iterable[Told]) -> Iterator[Told]:
        """The same operations, counted."""
        for told in judged:
            operation = told.judgement.operation
            self.facts += facts_read(told.judgement)
            self.operations[told.judgement.verdict.value] += 1
            self.words |= told.words
            if not operation.is_read:
                self.acting += 1
                self.verifiable += any(look.authoritative for look in operation.looks)
            yield told

    def passing_histories(self, judged: Iterable[HistoryJudgement]) -> Iterator[HistoryJudgement]:
        """The same message lists, counted."""
        for history in judged:
            self.histories[history.verdict.value] += 1
            self.words |= history_words(history)
            yield history
