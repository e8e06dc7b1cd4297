"""Whose turn it is, among the processes on one file: a lock that a waiting process is handed when it is let go.

SQLite's own way to wait is to sleep and look again, longer each time; with four writers the unlucky wait for seconds.
The kernel's file lock wakes who waits, and is let go when its holder dies, so that nothing is ever left locked by a
process that is gone.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress

from counterfoil.ledger.forks import Watched, tell_of_forks

if sys.platform != "win32":
    import fcntl


class Turns(Watched):
    """Turns at one thing, taken by its lock file. For one thread at a time; make one for each thing to take turns at.

    Waiting is bounded: the kernel has no lock that waits for a while, so a thread waits for it, at most one for each
    `Turns`, and is left waiting when the caller has waited enough. Where there is no `flock` (Windows) every turn is
    granted, and SQLite's own waiting has to do.
    """

    def __init__(self, path: str, mode: int = 0o600) -> None:
        self._path = path
        self._mode = mode
        self._held: int | None = None
        self._waiter: _Waiter | None = None
        tell_of_forks(self)

    def take(self, patience_s: float) -> bool:
        """Whether the turn was had within ``patience_s``; 0 asks once. Raises OSError where there can be no file."""
        if sys.platform == "win32":
            return True
        waiter = self._waiter
        if waiter is None or not waiter.wanted():
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, self._mode)
            if _granted(fd):
                self._held = fd
                return True
            if not patience_s:
                os.close(fd)
                return False
            waiter = self._waiter = _Waiter(fd)
        had = waiter.wait(patience_s)
        if had is not None:
            self._waiter, self._held = None, had
        return had is not None

    def give(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            _let_go(held)

    def forked(self) -> None:
        """In a child: the turn is the parent's. The child's copy is closed, so that it ends with the parent."""
        fds = [self._held, None if self._waiter is None else self._waiter.fd]
        self._held = self._waiter = None
        for fd in fds:
            if fd is not None:
                with suppress(OSError):
                    os.close(fd)


class _Waiter:
    """A thread that waits for the kernel. It hands the lock to whoever waits for it then, or lets it go at once."""

    def __init__(self, fd: int) -> None:
        self.fd: int | None = fd
        self._lock = threading.Lock()
        self._came = threading.Event()
        self._wanted = True
        threading.Thread(target=self._run, args=(fd,), name="counterfoil-turn", daemon=True).start()

    def wanted(self) -> bool:
        """Somebody waits again; False where the lock came in between and was let go."""
        with self._lock:
            self._wanted = self.fd is not None
            return self._wanted

    def wait(self, patience_s: float) -> int | None:
        """The file that holds the lock, or None after ``patience_s``."""
        self._came.wait(patience_s)
        with self._lock:
            self._wanted = self._came.is_set()
            return self.fd if self._wanted else None

    def _run(self, fd: int) -> None:
        _wait_for(fd)
        with self._lock:
            if self._wanted:
                self._came.set()
            else:
                self.fd = None
                _let_go(fd)


def _granted(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _wait_for(fd: int) -> None:
    fcntl.flock(fd, fcntl.LOCK_EX)


def _let_go(fd: int) -> None:
    """By name: closing alone would leave the lock to a child that was forked at a bad moment and has a copy."""
    fcntl.flock(fd, fcntl.LOCK_UN)
    os.close(fd)
