"""Asking one question, contained: a probe that hangs, raises or returns nonsense costs a thread for a while, no more.

Python can't end a thread. One that doesn't come back is left to itself and counted; when `MAX_THREADS` are out, nobody
is asked any more until one comes back.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from typing import Any

from counterfoil.probing.looks import checked
from counterfoil.probing.question import Answer, CannotTell, Probe, Question

MAX_THREADS = 16
"""So many probes are out at once in a process, stuck ones included."""

FULL = CannotTell(f"{MAX_THREADS} probes are out already, some of them stuck")


class Asked:
    """One question that is out. ``answer`` is set once it came."""

    def __init__(self) -> None:
        self.came = threading.Event()
        self.answer: Answer | CannotTell | None = None


class Asking:
    """Puts questions on daemon threads, so that no exit waits for one. Safe for threads."""

    def __init__(self, most: int = MAX_THREADS) -> None:
        self._free = threading.BoundedSemaphore(most)

    def begin(self, probe: Probe, question: Question, timeout_s: float, done: Callable[[], object]) -> Asked | None:
        """Ask, and call ``done`` when it came; None where too many are out."""
        if not self._free.acquire(blocking=False):
            return None
        asked = Asked()

        def run() -> None:
            try:
                asked.answer = _called(probe, question, timeout_s)
            finally:
                self._free.release()
                asked.came.set()
                done()

        try:
            threading.Thread(target=run, name="counterfoil-probe", daemon=True).start()
        except RuntimeError:  # no thread can be had
            self._free.release()
            return None
        return asked

    def ask(self, probe: Probe, question: Question, timeout_s: float) -> Answer | CannotTell:
        """Ask, and wait for the answer as long as that. Never raises."""
        asked = self.begin(probe, question, timeout_s, lambda: None)
        if asked is None:
            return FULL
        asked.came.wait(timeout_s)
        return asked.answer or timed_out(timeout_s)


def timed_out(timeout_s: float) -> CannotTell:
    return CannotTell(f"no answer within {timeout_s:g} s")


def _called(probe: Probe, question: Question, timeout_s: float) -> Answer | CannotTell:
    try:
        said: Any = probe(question)
        if inspect.isawaitable(said):
            said = asyncio.run(_within(said, timeout_s))
        return checked(said)
    except TimeoutError:
        return timed_out(timeout_s)
    except BaseException as error:  # a probe that ends its thread must not pass for one that hangs
        return CannotTell(f"it raised {type(error).__name__[:60]}")


async def _within(said: Any, timeout_s: float) -> object:
    return await asyncio.wait_for(said, timeout_s)


ASKING = Asking()
"""This process's."""
