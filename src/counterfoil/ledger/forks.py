"""Around a fork: what must not be carried over is let go before, and the child's ledgers start afresh.

A process may be forked at any moment, by any thread. A thread lock that is held then is held for ever in the child, and
a SQLite connection must not even exist: the library keeps a process-wide account of its file locks, which the child
inherits and the locks it does not.
"""

from __future__ import annotations

import os
import threading
import weakref
from contextlib import suppress
from typing import Protocol


class Forked(Protocol):
    """Something that has to know of forks. Each of these is called while the process, or the child, stands still."""

    def before_fork(self) -> None:
        """In the parent, before. May wait for a while, and may not raise."""

    def after_fork(self) -> None:
        """In the parent, after."""

    def forked(self) -> None:
        """In the child, which has one thread."""


class Watched:
    """Knows of forks, and does something about them in the child only."""

    def before_fork(self) -> None:
        """Nothing to do."""

    def after_fork(self) -> None:
        """Nothing to do."""


class _Register:
    def __init__(self) -> None:
        self._known: weakref.WeakSet[Forked] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._forking: list[Forked] = []

    def add(self, thing: Forked) -> None:
        with self._lock:
            self._known.add(thing)

    def before(self) -> None:
        self._lock.acquire()
        self._forking = list(self._known)
        for thing in self._forking:
            with suppress(Exception):
                thing.before_fork()

    def in_parent(self) -> None:
        for thing in self._forking:
            with suppress(Exception):
                thing.after_fork()
        self._forking = []
        self._lock.release()

    def in_child(self) -> None:
        self._lock = threading.Lock()
        for thing in self._forking:
            with suppress(Exception):
                thing.forked()
        self._forking = []


_REGISTER = _Register()


def tell_of_forks(thing: Forked) -> None:
    """Call the thing's three methods around every fork for as long as it is in use."""
    _REGISTER.add(thing)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_REGISTER.before, after_in_parent=_REGISTER.in_parent, after_in_child=_REGISTER.in_child)
