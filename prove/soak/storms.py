"""What a process goes through, one function each. Every one answers with figures, or raises `Harmed`."""

from __future__ import annotations

import gc
import os
import resource
import tempfile
import threading
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from counterfoil.book.memory import FOR_EACH
from counterfoil.config import Config
from counterfoil.ledger import open_ledger
from prove.soak.shop import Hangs, Heard, Shop

Figures = Mapping[str, float]
MEGABYTE = 1_000_000

KEPT = 100
"""The bound on operations where growth is measured."""

GROWTH = 0.05
"""How much more a process may hold at the end than after its first third, as a share."""


CALLS, ROUNDS = 250, 16
"""In so many rounds of so many calls a leak of one operation a call, some 4 kB, is well above the bound."""


WRITTEN_WITHIN_S = 60.0

FILES = 16
"""So many more files may be open after many ledgers than after one: those of the last two or three, some five each."""

THREADS, EACH = 200, 5
"""So many threads at once make so many calls each: less than what may wait to be read, so that nothing is dropped."""


class Harmed(AssertionError):
    """The application was harmed: it grew, waited, failed, or was told something twice."""


def steady(seconds: float) -> Figures:
    """The same work for a long time. Memory that is held is counted by Python and by the system."""
    tracemalloc.start()
    heard = Heard(most=0)
    shop = Shop(heard, Config(settle_after_s=0.0, max_operations=KEPT), batch=True)
    shop.charges(KEPT * (FOR_EACH + 2))  # until what is kept, and what is known of the forgotten, are at their bounds
    shop.provider.force_flush()
    began, marks = time.monotonic(), []
    for third in (1, 2, 3):
        while time.monotonic() - began < third * seconds / 3:
            shop.charges(200)
            shop.provider.force_flush()
        gc.collect()
        marks.append((tracemalloc.get_traced_memory()[0], resident()))
    tracemalloc.stop()
    (held, resident_then), (held_now, resident_now) = marks[0], marks[-1]
    _within("Python's memory", held, held_now)
    _within("resident memory", resident_then, resident_now)
    return {"verdicts": heard.number, "held MB": held_now / MEGABYTE, "resident MB": resident_now / MEGABYTE}


def thread_storm(seconds: float) -> Figures:
    """Hundreds of threads at once, again and again: each operation is told, and told once."""
    heard = Heard()
    shop = Shop(heard)
    began, storms = time.monotonic(), 0
    while not storms or time.monotonic() - began < seconds:
        threads = [threading.Thread(target=shop.charges, args=(EACH,)) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        shop.provider.force_flush()
        _once(heard, THREADS * EACH)
        heard.told.clear()
        storms += 1
    return {"storms": storms, "threads each": THREADS, "verdicts": heard.number}


def fork_storm(seconds: float) -> Figures:
    """Children of a process that is in the middle of calls. Each tells its own operations, and none of its parent's."""
    heard = Heard()
    shop = Shop(heard)
    children = max(5, int(seconds * 2))
    with shop.charge():
        for _ in range(children):
            child = os.fork()
            if child == 0:
                heard.told.clear()
                shop.charges(3)
                shop.provider.force_flush()
                own = [name for name, _ in heard.told if str(name).startswith(f"order-{os.getpid()}-")]
                os._exit(0 if len(own) == len(heard.told) == 3 else 1)
            _, status = os.waitpid(child, 0)
            if status != 0:
                raise Harmed("a forked child lost its own verdicts, or told its parent's")
    shop.provider.force_flush()
    _once(heard, 1)
    return {"children": children}


def hung_exporter(seconds: float) -> Figures:
    """An exporter that never comes back: calls go on, memory is bounded, and leaving takes no longer than is said."""
    hangs = Hangs()
    shop = Shop(hangs, batch=True)
    shop.charges(3_000)  # until what waits for the exporter, and what the book keeps, are at their bounds
    shop.provider.force_flush(1_000)
    if not hangs.asked.wait(30):
        raise Harmed("the exporter was never asked")
    made = 3_000 + stays_bounded(shop, seconds)
    left = threading.Thread(target=shop.ours.settle if shop.ours is not None else print, daemon=True)
    left.start()
    left.join(30)
    if left.is_alive():
        raise Harmed("settling waited for an exporter that hangs")
    return {"calls": made, "resident MB": resident() / MEGABYTE}


def stays_bounded(shop: Shop, seconds: float, rounds: int = ROUNDS) -> int:
    """So many rounds of calls, and on until the time is over; how many calls that were. Memory may not grow while the
    last half of them is made. It is looked at when all was read: on a busy machine spans wait in a queue, which is
    bounded, and what a process bears is another question, see bench/throughput.py."""
    began, marks = time.monotonic(), list[int]()
    while len(marks) < rounds or time.monotonic() - began < seconds:
        shop.charges(CALLS)
        if not shop.all_is_read():
            raise Harmed("what had been seen was not read within a minute")
        gc.collect()
        marks.append(resident())
    _within("resident memory", marks[len(marks) // 2 - 1], marks[-1])
    return len(marks) * CALLS


def full_disk(seconds: float) -> Figures:
    """The ledger's disk fills, again and again. Calls go on; what was promised is kept, and the rest is counted. Of a
    ledger that was let go nothing is left open."""
    began, marks = time.monotonic(), list[int]()
    while not marks or time.monotonic() - began < seconds:
        with tempfile.TemporaryDirectory() as folder:
            _fills(Path(folder) / "facts.db")
        gc.collect()
        marks.append(open_files())
    _closed(marks[0], marks[-1])
    return {"ledgers": len(marks), "open files": marks[-1]}


def _fills(ledger: Path) -> None:
    shop = Shop(Heard(), Config(ledger=f"sqlite:///{ledger}", settle_after_s=0.0))
    shop.charges(5)
    shop.provider.force_flush()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (max(8_192, ledger.stat().st_size // 2), hard))
    try:
        shop.charges(50)
        shop.provider.force_flush()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    shop.charges(5)
    began = time.monotonic()
    while (kept := _operations(ledger)) < 60:  # it tries again a second after a fault
        if time.monotonic() - began > WRITTEN_WITHIN_S:
            raise Harmed(f"{kept} of 60 operations were in the ledger when its disk had been free for a while")
        time.sleep(0.2)
        shop.provider.force_flush()
    shop.provider.shutdown()


def _operations(ledger: Path) -> int:
    opened = open_ledger(f"sqlite:///{ledger}")
    try:
        return len(opened.operations())
    finally:
        opened.close()


STORMS: Mapping[str, Callable[[float], Figures]] = {
    "steady": steady,
    "thread_storm": thread_storm,
    "fork_storm": fork_storm,
    "hung_exporter": hung_exporter,
    "full_disk": full_disk,
}


def resident() -> int:
    """Bytes that this process holds in memory."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def open_files() -> int:
    """File descriptors that this process holds."""
    return len(os.listdir("/proc/self/fd"))


def _within(what: str, then: float, now: float) -> None:
    if now > then * (1 + GROWTH) + MEGABYTE:
        raise Harmed(f"{what} grew from {then / MEGABYTE:.1f} to {now / MEGABYTE:.1f} MB")


def _closed(then: int, now: int) -> None:
    if now > then + FILES:
        raise Harmed(f"open files grew from {then} to {now}")


def _once(heard: Heard, operations: int) -> None:
    told = Counter(heard.told)
    if len({name for name, _ in told}) != operations:
        raise Harmed(f"{len({name for name, _ in told})} of {operations} operations were told")
    if twice := [name for name, number in told.items() if number > 1]:
        raise Harmed(f"{len(twice)} revisions were told twice")
