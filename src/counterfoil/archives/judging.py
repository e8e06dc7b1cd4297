"""Rows of archives, in the order of their operations, to judgements: folded one operation at a time.

Memory holds the operations of one neighbourhood, and their judgements until each had its turn. Whoever sorts the rows,
and whatever part of an archive they are, the answer is that of every other audit.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

from counterfoil.across import around
from counterfoil.archives.rows import packed_of
from counterfoil.auditing.intake import Facts
from counterfoil.auditing.judging import evidence
from counterfoil.auditing.parts import Asked, Part, Record, said
from counterfoil.auditing.replays import concerned
from counterfoil.facts import Gap
from counterfoil.histories.history import History
from counterfoil.judge import Judgement, judge
from counterfoil.operations import operation_from

LOOKED_AT = 1_000
"""Operations that are held, at most, until it is looked which of them message lists are about."""

Sorted = tuple[str, str, str]
"""The first operation of a neighbourhood, which may be itself; an operation; and the record of a fact about it."""


@dataclass(slots=True)
class Mentioned:
    """Of the operations that go by, those that message lists are about. Looked for among many at a time: asking costs
    as much for one."""

    histories: Mapping[str, set[History]]
    _found: dict[str, Facts] = field(default_factory=dict)
    _seen: dict[str, Facts] = field(default_factory=dict)

    def see(self, operations: Mapping[str, Facts]) -> None:
        if self.histories:
            self._seen |= operations
            if len(self._seen) > LOOKED_AT:
                self._look()

    def found(self) -> dict[str, Facts]:
        self._look()
        return self._found

    def _look(self) -> None:
        self._found |= concerned(self._seen, self.histories)
        self._seen.clear()


def judgements(
    rows: Iterable[Sorted], gaps: frozenset[Gap], see: Callable[[Mapping[str, Facts]], None]
) -> Iterator[Judgement]:
    """Every operation of these rows, judged once, in the order of their names. ``rows`` come sorted, and ``see`` is
    shown the facts of each."""
    held: list[tuple[str, Judgement]] = []
    for home, near in groupby(rows, key=itemgetter(0)):
        while held and held[0][0] < home:
            yield heapq.heappop(held)[1]
        together = {name: _facts(name, some) for name, some in groupby(near, key=itemgetter(1))}
        see(together)
        operations = [operation_from(name, evidence(name, facts)) for name, facts in together.items()]
        surroundings = around(operations, gaps)
        for operation in operations:
            heapq.heappush(held, (operation.operation_id, judge(operation, surroundings)))
    while held:
        yield heapq.heappop(held)[1]


def records(
    rows: Iterable[Sorted], gaps: frozenset[Gap], histories: Mapping[str, set[History]], asked: Asked, part: Part
) -> Iterator[Record]:
    """The records of these operations, as far as they are asked for. ``part`` is complete at their end."""
    mentioned = Mentioned(histories)
    yield from said(judgements(rows, gaps, mentioned.see), asked, part)
    part.concerned |= mentioned.found()


def _facts(name: str, rows: Iterator[Sorted]) -> Facts:
    return {packed_of(name, record): None for _, _, record in rows}
