"""A connection to a SQLite file: opened when it is needed, never carried over a fork, let go after a fault.

WAL, so that readers and one writer don't wait for each other. Same host only: WAL needs shared memory.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from counterfoil.ledger.faults import Kind, LedgerFault
from counterfoil.ledger.forks import tell_of_forks
from counterfoil.ledger.sqlite_schema import VERSION, bring_forward, version_of
from counterfoil.ledger.turns import Turns

FORK_WAITS_S = 0.5
"""How long a fork may be held up by a transaction that is under way."""

_KINDS = {
    sqlite3.SQLITE_FULL: Kind.FULL,
    sqlite3.SQLITE_READONLY: Kind.READ_ONLY,
    sqlite3.SQLITE_BUSY: Kind.LOCKED,
    sqlite3.SQLITE_LOCKED: Kind.LOCKED,
    sqlite3.SQLITE_CORRUPT: Kind.CORRUPT,
    sqlite3.SQLITE_NOTADB: Kind.CORRUPT,
    sqlite3.SQLITE_CANTOPEN: Kind.PERMISSION,
    sqlite3.SQLITE_PERM: Kind.PERMISSION,
    sqlite3.SQLITE_AUTH: Kind.PERMISSION,
}
_OS_KINDS = {errno.ENOSPC: Kind.FULL, errno.EDQUOT: Kind.FULL, errno.EROFS: Kind.READ_ONLY}
_LEFT_TO_THE_PARENT: list[sqlite3.Connection] = []


class SqliteFile:
    """One connection, for one thread at a time."""

    def __init__(self, path: str, *, power_safe: bool, patience_s: float) -> None:
        self.path = path
        self.shown = f"sqlite:///{path}"
        self._power_safe = power_safe
        self._patience_s = patience_s
        self._db: sqlite3.Connection | None = None
        self._inode: tuple[int, int] | None = None
        self._lock = threading.Lock()
        self._held_for_fork = False
        tell_of_forks(self)

    @contextmanager
    def use(self) -> Iterator[sqlite3.Connection]:
        """The connection, for as long as the block lasts. Every error of SQLite's comes out as a `LedgerFault`, and
        the next use opens the file anew."""
        if not self._lock.acquire(timeout=self._patience_s):
            raise LedgerFault(Kind.LOCKED, self.shown, f"other threads have used it for {self._patience_s:g} s")
        try:
            yield self._opened()
        except (sqlite3.Error, OSError) as error:
            self._let_go()
            raise fault_from(error, self.shown) from None
        except LedgerFault as fault:
            if fault.kind is not Kind.LOCKED:
                self._let_go()
            raise
        finally:
            self._lock.release()

    def _opened(self) -> sqlite3.Connection:
        if self._db is not None:
            if self._inode == _inode(self.path):
                return self._db
            self._let_go()
            raise LedgerFault(Kind.GONE, self.shown, "the file is no longer the one that was opened")
        private(self.path)
        db = sqlite3.connect(self.path, timeout=self._patience_s, isolation_level=None, check_same_thread=False)
        try:
            if db.execute("PRAGMA journal_mode").fetchone()[0] != "wal" or version_of(db, self.shown) != VERSION:
                self._set_up(db)
            db.execute(f"PRAGMA synchronous = {'FULL' if self._power_safe else 'NORMAL'}")
            db.execute("PRAGMA wal_autocheckpoint = 0")
            db.execute("PRAGMA cache_size = -16384")
        except BaseException:
            db.close()
            raise
        self._db, self._inode = db, _inode(self.path)
        return db

    def _set_up(self, db: sqlite3.Connection) -> None:
        """By one process at a time: SQLite refuses at once, instead of waiting, where two turn to WAL together."""
        turns = Turns(f"{self.path}-turn")
        if not turns.take(self._patience_s):
            raise LedgerFault(Kind.LOCKED, self.shown, f"other processes have held it for {self._patience_s:g} s")
        try:
            db.execute("PRAGMA journal_mode = WAL")
            bring_forward(db, self.shown)
        finally:
            turns.give()

    def _let_go(self) -> None:
        db, self._db, self._inode = self._db, None, None
        if db is not None:
            with suppress(sqlite3.Error):
                db.close()

    def close(self) -> None:
        with self._lock:
            self._let_go()

    def before_fork(self) -> None:
        """Wait until nobody uses the connection, and let go of it: there must be none to inherit."""
        self._held_for_fork = self._lock.acquire(timeout=min(self._patience_s, FORK_WAITS_S))
        if self._held_for_fork:
            self._let_go()

    def after_fork(self) -> None:
        if self._held_for_fork:
            self._lock.release()

    def forked(self) -> None:
        """In a child: there is no connection, or it is in the middle of something, and is the parent's to close."""
        if self._db is not None:
            _LEFT_TO_THE_PARENT.append(self._db)
        self._db = self._inode = None
        self._lock = threading.Lock()


def private(path: str) -> None:
    """Make a new file that only its owner may read: it says who did what, if not with what."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


def fault_from(error: sqlite3.Error | OSError, shown: str) -> LedgerFault:
    """The fault in words. SQLite's own message names tables and pages at most, never a value."""
    if isinstance(error, OSError):
        return LedgerFault(_OS_KINDS.get(error.errno or 0, Kind.PERMISSION), shown, error.strerror or "no file")
    code = getattr(error, "sqlite_errorcode", None)
    kind = Kind.OTHER if code is None else _KINDS.get(code & 0xFF, Kind.OTHER)
    if kind is Kind.OTHER and code is not None and code & 0xFF == sqlite3.SQLITE_IOERR:
        kind = Kind.FULL if _no_room(code) else Kind.OTHER
    return LedgerFault(kind, shown, str(error) or type(error).__name__)


def _no_room(code: int) -> bool:
    """A write that the system cut short: a quota or a limit on the size of files, if not a broken disk."""
    return code in (sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_TRUNCATE, sqlite3.SQLITE_IOERR_SHMSIZE)


def _inode(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
