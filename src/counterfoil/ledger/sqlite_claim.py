"""A claim on a SQLite ledger: one judge at a time on one file, by a lock that ends with its holder."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from counterfoil.facts import Fact, Gap
from counterfoil.ledger import sqlite_rows as rows
from counterfoil.ledger.forks import Watched, tell_of_forks
from counterfoil.ledger.links import links_of
from counterfoil.ledger.packing import fact_of, gap_of
from counterfoil.ledger.sqlite_file import SqliteFile, fault_from
from counterfoil.ledger.told import Told
from counterfoil.ledger.turns import Turns

Write = Callable[[], AbstractContextManager[sqlite3.Connection]]


@dataclass(slots=True)
class _Claimed:
    operations: Mapping[str, bool]
    _write: Write
    _delivered: list[Told] = field(default_factory=list)
    _wakes: list[tuple[str, int]] = field(default_factory=list)

    def announce(self, tellings: Iterable[Told]) -> frozenset[str]:
        with self._write() as db:
            return frozenset(told.operation_id for told in tellings if rows.announce(db, told))

    def delivered(self, tellings: Iterable[Told]) -> None:
        self._delivered.extend(tellings)

    def wake(self, operation_ids: Iterable[str], at: int) -> None:
        self._wakes.extend((operation_id, at) for operation_id in operation_ids)

    def settle(self, seen: list[tuple[int, int]]) -> None:
        if seen or self._delivered or self._wakes:
            with self._write() as db:
                rows.settle(db, seen, self._delivered, self._wakes)


class SqliteClaim(Watched):
    """Who may judge what is in one file: a thread of a process that has the turn, nobody else."""

    def __init__(self, path: str, reader: SqliteFile, write: Write) -> None:
        self._reader = reader
        self._write = write
        self._turns = Turns(f"{path}-judge")
        self._lock = threading.Lock()
        tell_of_forks(self)

    def forked(self) -> None:
        """In a child: nobody claims."""
        self._lock = threading.Lock()

    @contextmanager
    def claim(self, now: int, limit: int) -> Iterator[_Claimed]:
        with self._turn() as mine:
            due = self._ask(rows.DUE, now, limit) if mine else []
            claimed = _Claimed({name: bool(news) for _, name, news, _ in due}, self._write)
            yield claimed
            claimed.settle([(operation, asked) for operation, _, _, asked in due])

    @contextmanager
    def drained(self, limit: int) -> Iterator[Sequence[Fact | Gap]]:
        with self._turn() as mine:
            facts = self._ask(rows.SOME_FACTS, limit) if mine else []
            gaps = self._ask(rows.SOME_GAPS, limit) if mine else []
            out = [fact_of(name, record) for name, _, _, record in facts]
            yield [*out, *(gap_of(record) for _, record in gaps)]
            if facts or gaps:
                links = {(link, row[1]) for row, fact in zip(facts, out, strict=True) for link in links_of(fact)}
                with self._write() as db:
                    rows.drop(db, [row[1:3] for row in facts], links, [row[:1] for row in gaps])

    def _ask(self, question: str, *values: int) -> list[Any]:
        with self._reader.use() as db:
            return db.execute(question, values).fetchall()

    @contextmanager
    def _turn(self) -> Iterator[bool]:
        """Whether it is this thread's turn; it ends with the block."""
        if not self._lock.acquire(blocking=False):
            yield False
            return
        try:
            yield self._taken()
        finally:
            self._turns.give()
            self._lock.release()

    def _taken(self) -> bool:
        try:
            return self._turns.take(0)
        except OSError as error:
            raise fault_from(error, self._reader.shown) from None
