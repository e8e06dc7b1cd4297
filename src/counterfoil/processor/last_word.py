"""See to it that every processor has the last word while there is still somebody to hear it."""

from __future__ import annotations

import atexit
import threading
import weakref
from typing import Protocol


class Settling(Protocol):
    """What has something to tell before the process ends."""

    def settle(self) -> None: ...


_watching: weakref.WeakSet[Settling] = weakref.WeakSet()
_leaving: list[bool] = []


def settle_all() -> None:
    """Tell all that is known in all pipelines of this process. Never raises; takes at most ten seconds for each."""
    for processor in list(_watching):
        processor.settle()


def settle_in_time(processor: Settling) -> None:
    """Settle before the providers of spans, metrics and logs are shut down, whenever they were made.

    Exit handlers run last in, first out, and a meter provider that is made after us would go before us. So ours is
    registered when the interpreter has begun to leave: the hook for that is the one that thread pools use.
    """
    _watching.add(processor)
    if _leaving:
        return
    _leaving.append(True)
    try:
        threading._register_atexit(lambda: atexit.register(settle_all))  # type: ignore[attr-defined]
    except (AttributeError, RuntimeError):
        atexit.register(settle_all)
