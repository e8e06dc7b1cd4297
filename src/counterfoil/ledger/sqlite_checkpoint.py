"""Bringing what lies in the write-ahead log into the file itself, where no caller waits for it."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing, suppress
from pathlib import Path

from counterfoil.ledger.forks import Watched, tell_of_forks
from counterfoil.ledger.turns import Turns

FACTS = 8_192
"""New facts from this process after which it tries to checkpoint: about 4 MB of log."""

MAX_LOG = 64 << 20
"""Bytes of log after which writers are held up until all of it is in the file, so that the log can start over."""

LOOK = 256
"""New facts from this process between two looks at the log's size: many that write little each make a long one, too."""


class Checkpoint(Watched):
    """Checkpoints one file on a thread of its own, at most one at a time among all processes.

    A fault in here is left to the next writer to find: nothing is lost by a log that stays longer.
    """

    def __init__(self, path: str, *, patience_s: float) -> None:
        self._path = path
        self._patience_s = patience_s
        self.forked()
        tell_of_forks(self)

    def before_fork(self) -> None:
        self.wait()

    def forked(self) -> None:
        self._facts = self._until_look = 0
        self._thread: threading.Thread | None = None

    def after(self, facts: int) -> None:
        """So many facts were written. Called by one thread at a time."""
        self._facts += facts
        self._until_look -= facts
        if self._thread is not None and self._thread.is_alive():
            return
        if self._facts < FACTS and not self._is_too_long():
            return
        self._facts = 0
        self._thread = threading.Thread(target=self._run, name="counterfoil-checkpoint", daemon=True)
        with suppress(RuntimeError):  # the interpreter is ending; the last connection to close checkpoints
            self._thread.start()

    def wait(self) -> None:
        """Let a checkpoint that is under way end, within the caller's patience."""
        if self._thread is not None and self._thread.is_alive():
            self._thread.join(self._patience_s)

    def _is_too_long(self) -> bool:
        """By a look at the first facts of this process, and then after every so many."""
        if self._until_look > 0:
            return False
        self._until_look = LOOK
        with suppress(OSError):
            return Path(f"{self._path}-wal").stat().st_size > MAX_LOG
        return False

    def _run(self) -> None:
        turns = Turns(f"{self._path}-checkpoint")
        with suppress(OSError, sqlite3.Error):
            if not turns.take(0):
                return
            try:
                with closing(sqlite3.connect(self._path, timeout=self._patience_s, isolation_level=None)) as db:
                    db.execute("PRAGMA wal_autocheckpoint = 0")
                    db.execute("PRAGMA wal_checkpoint(PASSIVE)")
                    if Path(f"{self._path}-wal").stat().st_size > MAX_LOG:
                        self._start_over(db)
            finally:
                turns.give()

    def _start_over(self, db: sqlite3.Connection) -> None:
        """What came since the passive checkpoint is little, so the writers don't wait for long."""
        writing = Turns(f"{self._path}-turn")
        if writing.take(self._patience_s):
            try:
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                writing.give()
