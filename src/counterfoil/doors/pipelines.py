"""The providers of this process whose pipelines have their processor, and how each comes to have one."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from weakref import WeakSet

WAIT_S = 5.0
"""So long a thread waits at most while another one gives its provider a processor, in seconds; what loads our modules
for the first time takes a fraction of one. The spans of a thread that waited in vain are not seen until it is done."""

attached: WeakSet[object] = WeakSet()
_under_way: WeakSet[object] = WeakSet()
_gate = threading.RLock()


def once(provider: object, give: Callable[[], None]) -> None:
    """Give this provider its processor, once. Another thread that comes meanwhile waits, so that its first span is seen
    as well; the same thread, if it comes by here again from within, goes on."""
    if provider in attached or not _gate.acquire(timeout=WAIT_S):
        return
    held = _gate
    try:
        if provider not in attached and provider not in _under_way:
            _under_way.add(provider)
            try:
                give()
            finally:
                attached.add(provider)
                _under_way.discard(provider)
    finally:
        held.release()


def _in_child() -> None:
    """A fork while another thread is at it: that thread is not here to let go. Nor can it be done anew, since a module
    that was half loaded at the fork stays locked in the child; such a child goes without."""
    global _gate  # noqa: PLW0603 -- a lock can't be renewed in place
    _gate = threading.RLock()
    attached.update(_under_way)
    _under_way.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
