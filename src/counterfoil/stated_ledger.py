"""The ledger that what is stated in code goes into, if ``COUNTERFOIL_LEDGER`` names a durable one.

A fact is on disk when `keep` returns, as long as the ledger is well. Where it isn't, whoever states something waits at
most `PATIENCE_S`, once a second; an asyncio event loop waits at most `ON_A_LOOP_S` for each statement, since all else
on it waits too. What could not be written is kept in memory, `guarded.BACKLOG` facts at most, and written with the next
statement or at exit. Other kinds of event loop are not recognised: there, state things from a thread.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, TimeoutError
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
    if ledger is None or not facts:
        return
    due = time.time_ns() + int(settings().settle_after_s * 1e9)
    if _on_a_loop():
        with suppress(TimeoutError):
            _thread(os.getpid()).submit(ledger.add, facts, due=due).result(ON_A_LOOP_S)
    else:
        ledger.add(facts, due=due)


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
