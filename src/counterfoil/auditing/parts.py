"""An audit in parts: each judges operations of its own, wherever it runs, and the whole is their sum.

Of an operation that is only written out, its record is all that leaves a part. A table needs the worst of all, and
those are among the worst of each part.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import merge, nsmallest
from itertools import count
from operator import attrgetter, itemgetter
from pathlib import Path

import orjson

from counterfoil.auditing.intake import Facts, Intake
from counterfoil.auditing.tally import Tally
from counterfoil.auditing.told import Told, told
from counterfoil.config import Config
from counterfoil.judge import Judgement

MOST_OPEN = 256
"""So many files are open at the same time, at most: many systems allow a process 1,024."""

Record = tuple[str, bytes]
"""An operation's id, and its record as JSON."""


@dataclass(frozen=True, slots=True)
class Asked:
    """``rows``: how many of the worst are wanted whole, 0 for all; None for every operation as a record."""

    config: Config
    now: int
    rows: int | None


@dataclass(slots=True)
class Audited:
    """What an audit in parts came to. ``records``: by operation id, sorted. ``worst``: the rows that were asked for, in
    no order. ``intake`` holds the operations that message lists are about, and no others."""

    intake: Intake
    tally: Tally
    records: Iterator[Record]
    worst: list[Told]


@dataclass(slots=True)
class Part:
    """What a part came to, beside its records. ``concerned``: operations that message lists are about."""

    tally: Tally = field(default_factory=Tally)
    worst: list[Told] = field(default_factory=list)
    concerned: dict[str, Facts] = field(default_factory=dict)

    def add(self, other: Part) -> None:
        self.tally.add(other.tally)
        self.worst += other.worst
        self.concerned |= other.concerned

    def audited(self, intake: Intake, records: Iterator[Record]) -> Audited:
        """The whole, when every part was added. ``intake``: what was met beside facts about operations."""
        self.tally.of_intake(intake)
        intake.operations |= self.concerned
        return Audited(intake, self.tally, records, self.worst)


def said(judged: Iterable[Judgement], asked: Asked, part: Part) -> Iterator[Record]:
    """The records of these operations, as far as they are asked for. ``part`` is complete at their end."""
    counted = part.tally.passing(told(one, asked.now, asked.config) for one in judged)
    if asked.rows is None:
        for one in counted:
            yield one.operation_id, orjson.dumps(one.record())
    else:
        part.worst += nsmallest(asked.rows, counted, key=attrgetter("place")) if asked.rows else counted


def write_down(folder: Path, number: int, records: Iterable[Record]) -> None:
    """Keep the records of a part, which come sorted, in a file of its own."""
    _write(folder / f"records-{number}", records)


def merged(folder: Path, parts: int) -> Iterator[Record]:
    """All that so many parts wrote down, sorted."""
    paths = deque(folder / f"records-{number}" for number in range(parts))
    for turn in count():
        if len(paths) <= MOST_OPEN:
            break
        into = folder / f"merged-{turn}"
        _write(into, _sorted([paths.popleft() for _ in range(MOST_OPEN)]))
        paths.append(into)
    return _sorted(paths)


def _sorted(paths: Iterable[Path]) -> Iterator[Record]:
    return merge(*map(_read, paths), key=itemgetter(0))


def _write(path: Path, records: Iterable[Record]) -> None:
    with open(path, "wb") as file:
        for record in records:
            pickle.dump(record, file, pickle.HIGHEST_PROTOCOL)


def _read(path: Path) -> Iterator[Record]:
    with open(path, "rb") as file:  # of our own, written by this very audit
        while True:
            try:
                yield pickle.load(file)
            except EOFError:
                return
