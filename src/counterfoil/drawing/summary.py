"""What an audit's page says first, gathered while the audit goes by, in bounded room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest

from counterfoil.auditing.told import Told
from counterfoil.verdicts import WORST_FIRST, Outcome, Reason, Severity, Verdict

MOST_ATTENTION = 50
"""So many operations that need attention are drawn, the worst first."""

MOST_OTHERS = 100
"""So many of the others are drawn, folded."""

IN_WORDS = {
    Reason.IDENTITY_UNCLEAR: "calls that are not the same share a derived name",
    Reason.UNREADABLE: "part of the evidence could not be read",
    Reason.RECEIPT_MISMATCH: "the receipt is for another request",
    Reason.PARTIAL: "fewer effects are shown than were meant",
    Reason.AWAITING_APPROVAL: "a person has to approve it, and it has not run",
    Reason.ACCEPTED: "the provider accepted it and has not said that it is done",
    Reason.SETTLING: "the target was asked too early for its answer to count",
    Reason.TELEMETRY_GAP: "telemetry is known to be missing",
    Reason.AMBIGUOUS: "the last attempt did not come back clean, and nobody has looked",
    Reason.UNVERIFIED: "it came back clean, and nothing confirms it",
}
"""Why operations are in doubt, for a heading over many of them."""


def needs_attention(told: Told) -> bool:
    """Somebody has to act or to look. Not so a clean call without a receipt, nor a duplicate that was reversed."""
    judged = told.judgement
    if judged.resolved:
        return False
    in_doubt = judged.outcome is Outcome.INDETERMINATE and judged.reason is not Reason.UNVERIFIED
    return told.severity is not Severity.NONE or in_doubt


@dataclass(slots=True)
class Summary:
    """Counts of all operations, and those of them that are drawn."""

    verdicts: Counter[Verdict] = field(default_factory=Counter)
    reasons: Counter[Reason] = field(default_factory=Counter)
    needing: int = 0
    kept: list[Told] = field(default_factory=list)
    said: str = ""

    def passing(self, operations: Iterable[Told]) -> Iterator[Told]:
        """The same operations, gathered. At most twice as many as are drawn are held."""
        for told in operations:
            self.verdicts[told.judgement.verdict] += 1
            if told.judgement.reason is not None:
                self.reasons[told.judgement.reason] += 1
            self.needing += needs_attention(told)
            self.kept.append(told)
            if len(self.kept) >= 2 * (MOST_ATTENTION + MOST_OTHERS):
                self.kept = [*self.attention, *self.others]
            yield told

    @property
    def attention(self) -> Sequence[Told]:
        return nsmallest(MOST_ATTENTION, filter(needs_attention, self.kept), key=_place)

    @property
    def others(self) -> Sequence[Told]:
        return nsmallest(MOST_OTHERS, (told for told in self.kept if not needs_attention(told)), key=_place)

    @property
    def all(self) -> int:
        return self.verdicts.total()

    @property
    def bound(self) -> str:
        """What is not on the page, in words."""
        others = self.all - self.needing
        left_out = [
            f"{self.needing - MOST_ATTENTION:,} that need attention" if self.needing > MOST_ATTENTION else "",
            f"{others - MOST_OTHERS:,} of the others" if others > MOST_OTHERS else "",
        ]
        bounds = f"{MOST_ATTENTION} operations that need attention and {MOST_OTHERS} others"
        drawn = f"Drawn are at most {bounds}, the worst first"
        missing = " and ".join(filter(None, left_out))
        return f"{drawn}; left out are {missing}." if missing else f"{drawn}; none is left out."

    @property
    def worst_first(self) -> Sequence[tuple[Verdict, int]]:
        return [(verdict, self.verdicts[verdict]) for verdict in WORST_FIRST if self.verdicts[verdict]]

    @property
    def in_doubt(self) -> Sequence[tuple[Reason, str, int]]:
        return [(reason, IN_WORDS[reason], count) for reason, count in self.reasons.most_common()]


def _place(told: Told) -> tuple[int, int, str]:
    return told.place
