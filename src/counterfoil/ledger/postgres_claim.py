"""A claim on a PostgreSQL ledger: one transaction, whose end, however it comes, gives back what it didn't settle.

Two things are locked, and neither is ever waited for. The rows that say what is due: other judges skip them. And the
operation's name, by an advisory lock: a writer may have said once more that it is due, in a row that nobody has locked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from counterfoil.ledger import postgres_sql as sql
from counterfoil.ledger.postgres_session import Connection, PostgresSession
from counterfoil.ledger.told import Told


@dataclass(slots=True)
class Claimed:
    operations: Mapping[str, bool]
    _writer: PostgresSession
    _delivered: list[Told] = field(default_factory=list)
    _wakes: list[tuple[int, str]] = field(default_factory=list)
    _later: list[tuple[int, str, bool]] = field(default_factory=list)

    def announce(self, tellings: Iterable[Told]) -> frozenset[str]:
        rows = sorted(
            (told.operation_id, told.revision, told.at, told.said.open, str(told.said.outcome), told.said.text())
            for told in tellings
        )
        if not rows:
            return frozenset()
        with self._writer.use() as db:
            return frozenset(
                name for (name,) in db.execute(sql.ANNOUNCE, [list(column) for column in zip(*rows, strict=True)])
            )

    def delivered(self, tellings: Iterable[Told]) -> None:
        self._delivered.extend(tellings)

    def wake(self, operation_ids: Iterable[str], at: int) -> None:
        self._wakes.extend((at, operation_id) for operation_id in operation_ids)

    def postpone(self, operation_ids: Iterable[str], at: int) -> None:
        """Have these be due at a time as they are now, with their news. Holds when the claim ends."""
        self._later.extend((at, operation_id, self.operations[operation_id]) for operation_id in operation_ids)

    def settle(self, db: Connection) -> None:
        if self._delivered:
            tellings = sorted((told.operation_id, told.revision) for told in self._delivered)
            db.execute(sql.DELIVERED, [list(column) for column in zip(*tellings, strict=True)])
        if self._wakes:
            db.execute(sql.WAKE, [list(column) for column in zip(*self._wakes, strict=True)])
        if self._later:
            db.execute(sql.POSTPONE, [list(column) for column in zip(*self._later, strict=True)])


@contextmanager
def claim(session: PostgresSession, writer: PostgresSession, now: int, limit: int) -> Iterator[Claimed]:
    """What is due by now and nobody else's, in a transaction of ``session``; ``writer`` takes down what is told."""
    if not session.is_free:
        yield Claimed({}, writer)  # another thread of this process claims
        return
    with session.use() as db, db.transaction():
        ripe = {name for (name,) in db.execute(sql.RIPE, (now, limit))}
        mine = [name for (name,) in db.execute(sql.LOCK, (sorted(ripe),))] if ripe else []
        news = dict.fromkeys(mine, False)
        for name, is_news in db.execute(sql.TAKE, (mine,)) if mine else ():
            news[name] = news[name] or is_news
        claimed = Claimed(news, writer)
        yield claimed
        claimed.settle(db)
