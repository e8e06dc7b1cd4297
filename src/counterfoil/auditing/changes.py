"""What a further audit says otherwise than an earlier one: two rows of verdicts in one order, held side by side.

Compared are verdict, outcome, findings and reason, which are the rules' answer. Severity isn't: it depends on the hour.
Memory holds one operation of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

OPERATION, HISTORY = 0, 1

Named = tuple[int, str]
"""`OPERATION` or `HISTORY`, and its id: the order in which an audit tells of them."""


class Unordered(ValueError):
    """Verdicts that are not in the order in which an audit writes them can't be compared in one pass."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What was said of one operation or message list. ``outcome`` and ``reason`` are operations' own."""

    verdict: str
    findings: tuple[str, ...]
    outcome: str | None = None
    reason: str | None = None

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Verdicts:
        """Out of an audit's record. Raises KeyError, TypeError or ValueError for what is none."""
        outcome, reason = record.get("outcome"), record.get("reason")
        for value in (record["verdict"], outcome, reason):
            if value is not None and not isinstance(value, str):
                raise TypeError("a verdict is a text")
        return cls(record["verdict"], tuple(map(str, record["findings"])), outcome, reason)

    def record(self) -> dict[str, object]:
        own = {} if self.outcome is None else {"outcome": self.outcome}
        return {"verdict": self.verdict, **own, "findings": list(self.findings), "reason": self.reason}

    @property
    def words(self) -> str:
        """The verdict, what else is said, and why it is in doubt, for a person."""
        also = [word for word in (self.outcome, *self.findings) if word is not None and word != self.verdict]
        because = f" ({self.reason})" if self.reason is not None else ""
        return ", ".join((self.verdict, *dict.fromkeys(also))) + because


@dataclass(frozen=True, slots=True)
class Change:
    """``before`` or ``after`` is None where only the other audit knows of it."""

    named: Named
    before: Verdicts | None
    after: Verdicts | None


Told = Iterable[tuple[Named, Verdicts]]


def changes(before: Told, after: Told) -> Iterator[Change | None]:
    """What changed, in order, and None for each that is the same. Raises `Unordered`."""
    earlier, later = iter(_in_order(before)), iter(_in_order(after))
    one, other = next(earlier, None), next(later, None)
    while one is not None or other is not None:
        if other is None or (one is not None and one[0] < other[0]):
            assert one is not None
            yield Change(one[0], one[1], None)
            one = next(earlier, None)
        elif one is None or other[0] < one[0]:
            yield Change(other[0], None, other[1])
            other = next(later, None)
        else:
            yield None if one[1] == other[1] else Change(one[0], one[1], other[1])
            one, other = next(earlier, None), next(later, None)


def _in_order(told: Told) -> Iterator[tuple[Named, Verdicts]]:
    last: Named | None = None
    for named, verdicts in told:
        if last is not None and named <= last:
            raise Unordered(f"{named[1]!r} comes after {last[1]!r}")
        last = named
        yield named, verdicts
