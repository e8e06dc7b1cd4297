"""A ledger in a SQLite file, shared by the processes of one host.

What `add` has kept outlives the process however it ends; with ``power_safe`` it outlives the machine's end too, for
the price of waiting for the disk. Facts lie in WAL until a checkpoint, which runs on a thread of its own, in one
process at a time. Small files stand beside the ledger: one for each thing that processes take turns at.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import islice
from typing import Any

from counterfoil.evidence import Evidence, Folded
from counterfoil.facts import Fact, Gap
from counterfoil.ledger import sqlite_rows as rows
from counterfoil.ledger.faults import Kind, LedgerFault
from counterfoil.ledger.group import Batch, Group
from counterfoil.ledger.holding import HeldByFile
from counterfoil.ledger.links import Link
from counterfoil.ledger.packing import fact_of, gap_of, is_storable, rows_of
from counterfoil.ledger.protocol import BATCH, MAX_SHARING, Claim
from counterfoil.ledger.sqlite_checkpoint import Checkpoint
from counterfoil.ledger.sqlite_claim import SqliteClaim
from counterfoil.ledger.sqlite_file import SqliteFile
from counterfoil.ledger.told import Said, Told
from counterfoil.ledger.turns import Turns

_AT_ONCE = 500
"""Names in one question; SQLite allows for 999 at least."""


class SqliteLedger:
    """A `Ledger` in a file."""

    def __init__(self, path: str, *, power_safe: bool = False, patience_s: float = 2.0) -> None:
        self._patience_s = patience_s
        self._writer = SqliteFile(path, power_safe=power_safe, patience_s=patience_s)
        self._reader = SqliteFile(path, power_safe=power_safe, patience_s=patience_s)
        self._writing = Turns(f"{path}-turn")
        self._group = Group(self._write_all, ledger=self._writer.shown, most=BATCH, patience_s=patience_s)
        self._claim = SqliteClaim(path, self._reader, self._write)
        self._checkpoint = Checkpoint(path, patience_s=patience_s)
        self._held = HeldByFile(f"{path}-held")

    # ------------------------------------------------------------------ writing

    def add(self, facts: Iterable[Fact | Gap], *, due: int) -> int:
        return sum(self._group.add((part, due)) for part in rows_of(facts).parts(BATCH))

    def _write_all(self, batches: Sequence[Batch]) -> list[int]:
        with self._write() as db:
            new = [rows.add(db, part, due) for part, due in batches]
        self._checkpoint.after(sum(new))
        return new

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        """One transaction, when it is this process's turn. All of it holds when the block is left, or none."""
        with self._writer.use() as db:
            if not self._writing.take(self._patience_s):
                held = f"other processes have been writing for {self._patience_s:g} s"
                raise LedgerFault(Kind.LOCKED, self._writer.shown, held)
            try:
                db.execute("BEGIN IMMEDIATE")
                try:
                    yield db
                    db.execute("COMMIT")
                except BaseException:
                    with suppress(sqlite3.Error):
                        db.execute("ROLLBACK")
                    raise
            finally:
                self._writing.give()

    def forget(self, operation_ids: Collection[str], before: int) -> int:
        with self._write() as db:
            return sum(rows.forget(db, name, before) for name in sorted(filter(is_storable, operation_ids)))

    # ------------------------------------------------------------------ reading

    def facts(self, operation_ids: Collection[str]) -> Folded:
        found: dict[str, set[Fact]] = {}
        for name, record in self._ask(rows.FACTS, operation_ids):
            found.setdefault(name, set()).add(fact_of(name, record))
        return Folded({name: Evidence(known) for name, known in found.items()})

    def gaps(self) -> frozenset[Gap]:
        with self._reader.use() as db:
            return frozenset(gap_of(record) for (record,) in db.execute("SELECT record FROM gaps"))

    def sharing(self, links: Collection[Link]) -> Mapping[Link, Sequence[str]]:
        with self._reader.use() as db:
            found = {link: [n for (n,) in db.execute(rows.SHARING, (link, MAX_SHARING))] for link in links}
        return {link: names for link, names in found.items() if names}

    def told(self, operation_ids: Collection[str]) -> Mapping[str, Told]:
        return {
            name: Told(name, revision, Said.read(said), at, bool(delivered))
            for name, revision, at, delivered, said in self._ask(rows.TOLD, operation_ids)
        }

    def operations(self, *, after: str = "", limit: int = 1_000, open_only: bool = False) -> Sequence[str]:
        with self._reader.use() as db:
            return [name for (name,) in db.execute(rows.OPEN if open_only else rows.OPERATIONS, (after, limit))]

    def settled(self, before: int, *, after: str = "", limit: int = 1_000) -> Sequence[str]:
        with self._reader.use() as db:
            return [name for (name,) in db.execute(rows.SETTLED, (before, after, limit))]

    def _ask(self, question: str, names: Collection[str]) -> list[tuple[Any, ...]]:
        """Ask about names, some at a time; the question has a place for them."""
        answers: list[tuple[Any, ...]] = []
        rest = filter(is_storable, dict.fromkeys(names))
        with self._reader.use() as db:
            while some := list(islice(rest, _AT_ONCE)):
                answers += db.execute(question.format(",".join("?" * len(some))), some)
        return answers

    # ----------------------------------------------------------------- the rest

    def claim(self, now: int, limit: int) -> AbstractContextManager[Claim]:
        return self._claim.claim(now, limit)

    def hold(self, operation_id: str) -> bool:
        try:
            return self._held.hold(operation_id)
        except OSError as error:
            raise LedgerFault(Kind.PERMISSION, self._writer.shown, type(error).__name__) from None

    def release(self, operation_id: str) -> None:
        self._held.release(operation_id)

    def drained(self, limit: int) -> AbstractContextManager[Sequence[Fact | Gap]]:
        """At most ``limit`` facts on their way to another ledger: they are dropped here when the block is left in
        order, and nobody else has them meanwhile. None where another process drains this file or judges from it."""
        return self._claim.drained(limit)

    def close(self) -> None:
        self._checkpoint.wait()
        self._writer.close()
        self._reader.close()
