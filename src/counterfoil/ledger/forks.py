"""After a fork, the child's ledgers start afresh: locks of threads that aren't there, and connections that are the
parent's, are left alone."""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class Forked(Protocol):
    def forked(self) -> None:
        """Called in the child, while it has one thread."""


_KNOWN: weakref.WeakSet[Forked] = weakref.WeakSet()


def tell_after_fork(thing: Forked) -> None:
    """Call ``thing.forked()`` in every child that is forked while the thing is in use."""
    _KNOWN.add(thing)


def _after_fork() -> None:
    for thing in list(_KNOWN):
        thing.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
