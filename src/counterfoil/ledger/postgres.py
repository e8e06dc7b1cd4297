"""A ledger in PostgreSQL, shared by a fleet: any number of writers and judges, on any number of hosts.

Rows are written in one global order, so that two writers with the same facts don't wait for each other in a circle;
what a server still calls a deadlock is tried again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Any, LiteralString, TypeVar

from psycopg import errors

from counterfoil.evidence import Evidence, Folded
from counterfoil.facts import Fact, Gap
from counterfoil.ledger import postgres_sql as sql
from counterfoil.ledger.group import Batch, Group
from counterfoil.ledger.holding import HeldByServer
from counterfoil.ledger.links import Link, links_of
from counterfoil.ledger.packing import Row, Rows, fact_of, gap_of, is_storable, rows_of
from counterfoil.ledger.postgres_claim import Claimed, claim
from counterfoil.ledger.postgres_session import Connection, PostgresSession
from counterfoil.ledger.protocol import BATCH, MAX_SHARING
from counterfoil.ledger.shard_place import ALONE, Place
from counterfoil.ledger.told import GAP_MATTERS, Said, Told

T = TypeVar("T")

TRIES = 5
"""How often a transaction is tried that the server ended to let another one pass."""


class PostgresLedger:
    """A `Ledger` on a server. A connection for writing, one for reading, and one each for claims and for what is held,
    while there is any."""

    def __init__(self, url: str, *, patience_s: float = 2.0, place: Place = ALONE) -> None:
        """``place``: where it stands among several databases that are one ledger."""
        self._writer = PostgresSession(url, patience_s=patience_s, place=place)
        self._reader = PostgresSession(url, patience_s=patience_s, place=place)
        self._claimer = PostgresSession(url, patience_s=patience_s, place=place)
        self._held = HeldByServer(PostgresSession(url, patience_s=patience_s, place=place))
        self._group = Group(self._write_all, ledger=self._writer.shown, most=BATCH, patience_s=patience_s)

    # ------------------------------------------------------------------ writing

    def add(self, facts: Iterable[Fact | Gap], *, due: int) -> int:
        return self._add(rows_of(facts), due)

    def _add(self, rows: Rows, due: int) -> int:
        return sum(self._group.add((part, due)) for part in rows.parts(BATCH))

    def _write_all(self, batches: Sequence[Batch]) -> list[int]:
        """All in one transaction. What two batches brought is new to the first."""
        wanted: dict[str, int] = {}
        for rows, at in batches:
            wanted |= {row.operation_id: min(at, wanted.get(row.operation_id, at)) for row in rows.facts}
        facts = sorted({row for rows, _ in batches for row in rows.facts})
        gaps = sorted({(gap.fact, gap.record) for rows, _ in batches for gap in rows.gaps})
        soonest = min(at for _, at in batches)
        with self._writer.use() as db:
            new, new_gaps = _retried(lambda: _write(db, facts, wanted, gaps, soonest))
        counts = []
        for rows, _ in batches:
            brought = {row[:2] for row in rows.facts} & new
            new -= brought
            counts.append(len(brought) + (new_gaps if rows.gaps else 0))
            new_gaps = 0 if rows.gaps else new_gaps
        return counts

    def forget(self, operation_ids: Collection[str], before: int) -> int:
        if not operation_ids:
            return 0
        with self._writer.use() as db, db.transaction():
            idle = [name for (name,) in db.execute(sql.LOCK, (sorted(filter(is_storable, operation_ids)),))]
            gone = [name for (name,) in db.execute(sql.STILL_SETTLED, (idle, before))]
            known = _facts(db, gone)
            links = sorted({(link, name) for name, facts in known.items() for fact in facts for link in links_of(fact)})
            db.execute(sql.FORGET_LINKS, _columns(links, 2))
            db.execute(sql.FORGET, (gone, gone))
        return len(gone)

    # ------------------------------------------------------------------ reading

    def facts(self, operation_ids: Collection[str]) -> Folded:
        with self._reader.use() as db:
            known = _facts(db, list(filter(is_storable, operation_ids)))
        return Folded({name: Evidence(facts) for name, facts in known.items()})

    def gaps(self) -> frozenset[Gap]:
        return frozenset(gap_of(record) for (record,) in self._ask(sql.GAPS))

    def sharing(self, links: Collection[Link]) -> Mapping[Link, Sequence[str]]:
        found: dict[Link, list[str]] = {}
        if links:
            for link, name in self._ask(sql.SHARING, list(links), MAX_SHARING):
                found.setdefault(link, []).append(name)
        return found

    def told(self, operation_ids: Collection[str]) -> Mapping[str, Told]:
        return {
            name: Told(name, revision, Said.read(said), at, delivered)
            for name, revision, said, at, delivered in self._ask(sql.TOLD, list(filter(is_storable, operation_ids)))
        }

    def operations(self, *, after: str = "", limit: int = 1_000, open_only: bool = False) -> Sequence[str]:
        return [name for (name,) in self._ask(sql.OPEN if open_only else sql.OPERATIONS, after, limit)]

    def settled(self, before: int, *, after: str = "", limit: int = 1_000) -> Sequence[str]:
        return [name for (name,) in self._ask(sql.SETTLED, before, after, limit)]

    def _ask(self, question: LiteralString, *values: object) -> list[tuple[Any, ...]]:
        with self._reader.use() as db:
            return db.execute(question, values, binary=True).fetchall()

    # ----------------------------------------------------------------- the rest

    def claim(self, now: int, limit: int) -> AbstractContextManager[Claimed]:
        return claim(self._claimer, self._writer, now, limit)

    def overdue(self, now: int, limit: int) -> list[int]:
        """Since when what is due has been due, the longest first; whoever may have claimed it."""
        return [at for (at,) in self._ask(sql.OVERDUE, now, limit)]

    def hold(self, operation_id: str) -> bool:
        return self._held.hold(operation_id)

    def release(self, operation_id: str) -> None:
        self._held.release(operation_id)

    def close(self) -> None:
        self._held.close()
        for session in (self._writer, self._reader, self._claimer):
            session.close()


def _write(
    db: Connection, facts: list[Row], wanted: Mapping[str, int], gaps: list[tuple[bytes, bytes]], soonest: int
) -> tuple[set[tuple[str, bytes]], int]:
    """Which facts were new, and how many gaps. One way there and back."""
    links = sorted({(link, row.operation_id) for row in facts for link in row.links})
    due = [[*wanted.values()], [*wanted]]
    with db.pipeline(), db.transaction():
        if links:
            db.execute(sql.LINKS, _columns(links, 2))
        new = db.execute(sql.FACTS_AND_DUE, [*_columns([row[:3] for row in facts], 3), *due], binary=True)
        new_gaps = db.execute(sql.GAPS_AND_DUE, [*_columns(gaps, 2), [*GAP_MATTERS], soonest]) if gaps else None
    return set(new.fetchall()), 0 if new_gaps is None else int(new_gaps.fetchall()[0][0])


def _facts(db: Connection, names: Collection[str]) -> dict[str, set[Fact]]:
    found: dict[str, set[Fact]] = {}
    for name, record in db.execute(sql.FACTS, (list(names),), binary=True) if names else ():
        found.setdefault(name, set()).add(fact_of(name, record))
    return found


def _columns(rows: Sequence[tuple[object, ...]], width: int) -> list[list[object]]:
    """Rows as columns, which is how arrays travel; no rows are as many empty columns."""
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(width)]


def _retried(write: Callable[[], T]) -> T:
    """The server ends one of two transactions that wait for each other; the one that it ended may try again."""
    for _ in range(TRIES - 1):
        with suppress(errors.DeadlockDetected, errors.SerializationFailure):
            return write()
    return write()
