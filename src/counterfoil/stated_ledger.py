"""The ledger that what is stated in code goes into, if ``COUNTERFOIL_LEDGER`` names a durable one.

An intent is on disk when `keep` returns, as long as the ledger is well; where it isn't, whoever states one waits at
most `PATIENCE_S`, once a second. On an asyncio event loop all else waits, too: `kept` is awaited there instead, and
what the target holds is written by a thread, for which `keep_soon` waits `ON_A_LOOP_S` at most. What could not be
written is kept in memory, `guarded.BACKLOG` facts at most, and written with the next statement or at exit.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, TimeoutError
from contextlib import suppress
from functools import cache

from counterfoil.facts import Fact
from counterfoil.ledger import AddressError, open_ledger
from counterfoil.ledger.guarded import Guarded
from counterfoil.stated import settings

PATIENCE_S = 0.25
"""How long one write may wait for a ledger that others hold, in seconds."""

ON_A_LOOP_S = 0.02
"""How long an event loop waits for a write, in seconds; it goes on in its thread."""


def keep(facts: Sequence[Fact]) -> None:
    """Put facts into the ledger, if there is one. Never raises."""
    ledger = _ledger()
    if ledger is not None and facts:
        ledger.add(facts, due=_due())


def keep_soon(facts: Sequence[Fact]) -> None:
    """The same; an event loop goes on after `ON_A_LOOP_S`, whether or not it is done."""
    writing = _handed_over(facts) if _on_a_loop() else None
    if writing is None:
        keep(facts)
    else:
        with suppress(TimeoutError):
            writing.result(ON_A_LOOP_S)


async def kept(facts: Sequence[Fact]) -> None:
    """The same, and the event loop is free meanwhile."""
    writing = _handed_over(facts)
    if writing is None:
        keep(facts)
    else:
        await asyncio.wrap_future(writing)


def _handed_over(facts: Sequence[Fact]) -> Future[None] | None:
    """The thread's word that it will write them; None where there is nothing to do, or the interpreter is ending."""
    try:
        return _thread(os.getpid()).submit(keep, facts) if facts else None
    except RuntimeError:
        return None


def _due() -> int:
    return time.time_ns() + int(settings().settle_after_s * 1e9)


def _on_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


@cache
def _thread(process: int) -> ThreadPoolExecutor:
    """One for each process: a forked child has none of its parent's threads."""
    return ThreadPoolExecutor(1, f"counterfoil-stating-{process}")


@cache
def _ledger() -> Guarded | None:
    address = settings().ledger
    if address == "memory:":
        return None
    try:
        ledger = Guarded(open_ledger(address, patience_s=PATIENCE_S))
    except AddressError:  # told by whoever attaches
        return None
    atexit.register(ledger.close)
    return ledger
