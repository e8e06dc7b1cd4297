"""A connection to PostgreSQL: opened when it is needed, never carried over a fork, let go after a fault."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg import errors

from counterfoil.ledger.faults import Kind, LedgerFault, shown
from counterfoil.ledger.forks import Watched, tell_of_forks
from counterfoil.ledger.postgres_schema import bring_forward
from counterfoil.ledger.shard_place import ALONE, Place, take_place

Connection = psycopg.Connection[Any]

_LEFT_TO_THE_PARENT: list[Connection] = []

_BY_INDEX = "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off"
"""Every question here is about a few names, and its tables grow faster than their statistics: left to itself, the
planner reads a table of millions from end to end for two hundred of its rows."""


class PostgresSession(Watched):
    """One connection, for one thread at a time. ``patience_s`` bounds connecting, waiting for another thread, each
    statement, and waiting for an answer from a host that is gone."""

    def __init__(self, url: str, *, patience_s: float, place: Place = ALONE) -> None:
        self.shown = shown(url)
        self._place = place
        self._url = url
        self._patience_s = patience_s
        self.forked()
        tell_of_forks(self)

    def forked(self) -> None:
        """In a child: the connection is the parent's, and closing it would end the parent's session."""
        if (db := getattr(self, "_db", None)) is not None:
            _LEFT_TO_THE_PARENT.append(db)
        self._db: Connection | None = None
        self._lock = threading.Lock()

    @contextmanager
    def use(self) -> Iterator[Connection]:
        """The connection, for as long as the block lasts. Every error of the server's comes out as a `LedgerFault`;
        after one that ended the connection the next use opens another."""
        if not self._lock.acquire(timeout=self._patience_s):
            raise LedgerFault(Kind.LOCKED, self.shown, f"other threads have used it for {self._patience_s:g} s")
        try:
            yield self._opened()
        except psycopg.Error as error:
            self._let_go()
            raise fault_from(error, self.shown) from None
        finally:
            if self._db is not None and self._db.closed:
                self._db = None
            self._lock.release()

    @property
    def is_free(self) -> bool:
        return not self._lock.locked()

    def _opened(self) -> Connection:
        if self._db is None:
            milliseconds = math.ceil(self._patience_s * 1000)
            db = psycopg.connect(
                self._url,
                autocommit=True,
                connect_timeout=max(1, math.ceil(self._patience_s)),
                tcp_user_timeout=milliseconds,
                application_name="counterfoil",
            )
            try:
                bring_forward(db, self.shown)
                take_place(db, self.shown, self._place)
                db.execute("SELECT set_config('statement_timeout', %s, false)", (str(milliseconds),))
                db.execute(_BY_INDEX)
            except BaseException:
                db.close()
                raise
            self._db = db
        return self._db

    def _let_go(self) -> None:
        db, self._db = self._db, None
        if db is not None:
            with suppress(psycopg.Error, OSError):
                db.close()

    def close(self) -> None:
        with self._lock:
            self._let_go()


def fault_from(error: psycopg.Error, shown: str) -> LedgerFault:
    """The fault by the error's class. The server's own message may quote a value, so it stays out."""
    what = type(error).__name__ if error.sqlstate is None else f"{type(error).__name__} {error.sqlstate}"
    match error:
        case errors.DiskFull():
            kind = Kind.FULL
        case errors.ReadOnlySqlTransaction():
            kind = Kind.READ_ONLY
        case errors.InsufficientPrivilege() | errors.InvalidAuthorizationSpecification():
            kind = Kind.PERMISSION
        case errors.QueryCanceled() | errors.LockNotAvailable() | errors.DeadlockDetected():
            kind = Kind.LOCKED
        case errors.DataCorrupted() | errors.IndexCorrupted():
            kind = Kind.CORRUPT
        case psycopg.OperationalError() | psycopg.InterfaceError():
            kind = Kind.UNREACHABLE
        case _:
            kind = Kind.OTHER
    return LedgerFault(kind, shown, what)
