"""The measured pieces of work, each done by one or more processes that start together."""

from __future__ import annotations

import multiprocessing
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from bench.ledger_facts import batches, operation
from counterfoil.facts import Fact
from counterfoil.ledger import open_ledger
from counterfoil.ledger.judging import Telling, Timing, judge_due
from counterfoil.ledger.packing import FACT_BYTES, rows_of
from counterfoil.ledger.turns import Turns
from counterfoil.records import canonical

FAR = 2**62
AT_ONCE = Timing(settle_after=0, deadline=FAR)
PATIENCE_S = 120.0

Work = Callable[[int], Callable[[], list[float]]]
"""Given the number of the process, gets ready and returns the work; the work returns what its parts took, in s."""


@dataclass(frozen=True)
class Done:
    """What all processes did between the first one's start and the last one's end."""

    wall_s: float
    cpu_s: float
    parts_s: list[float]

    def p(self, share: float) -> float:
        """A quantile of the parts, in milliseconds."""
        return sorted(self.parts_s)[min(len(self.parts_s) - 1, int(len(self.parts_s) * share))] * 1_000


def together(work: Work, processes: int = 1) -> Done:
    context = multiprocessing.get_context("fork")
    barrier, results = context.Barrier(processes), context.Queue()

    def run(number: int) -> None:
        ready = work(number)
        barrier.wait()
        begin, cpu = time.monotonic(), time.process_time()
        parts = ready()
        results.put((begin, time.monotonic(), time.process_time() - cpu, parts))

    children = [context.Process(target=run, args=(number,)) for number in range(processes)]
    for child in children:
        child.start()
    got = [results.get(timeout=1_800) for _ in children]
    for child in children:
        child.join()
    return Done(max(r[1] for r in got) - min(r[0] for r in got), sum(r[2] for r in got), [p for r in got for p in r[3]])


def adding(url: str, operations: int, processes: int, size: int = 512) -> Work:
    """Each process adds facts of its own operations; a part is one batch."""

    def ready(number: int) -> Callable[[], list[float]]:
        parcels = list(batches(range(operations // processes), seed=number + 1, size=size))
        ledger = open_ledger(url, patience_s=PATIENCE_S)
        ledger.add([], due=0)
        ledger.facts(["nobody"])
        return lambda: [timed(lambda parcel=parcel: ledger.add(parcel, due=0)) for parcel in parcels]

    return ready


def adding_raw(path: str, operations: int, processes: int, *, full: bool, made: bool, size: int = 512) -> Work:
    """The same facts into the plainest table that keeps them once, by SQLite alone and with the same turns: from rows
    that are ready made, or from facts, as JSON."""

    def ready(number: int) -> Callable[[], list[float]]:
        facts = batches(range(operations // processes), seed=number + 1, size=size)
        parcels = [[row[:3] for row in rows_of(parcel).facts] if made else parcel for parcel in facts]
        db = sqlite3.connect(path, isolation_level=None, timeout=PATIENCE_S)
        turns = Turns(f"{path}-turn")
        turns.take(PATIENCE_S)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute(f"PRAGMA synchronous = {'FULL' if full else 'NORMAL'}")
        db.execute("CREATE TABLE IF NOT EXISTS facts (operation_id TEXT, fact BLOB, record BLOB)")
        db.execute("CREATE UNIQUE INDEX IF NOT EXISTS once ON facts (operation_id, fact)")
        turns.give()

        def write(parcel: Sequence[Any]) -> None:
            rows = parcel if made else list(map(as_json, parcel))
            turns.take(PATIENCE_S)
            db.execute("BEGIN IMMEDIATE")
            db.executemany("INSERT INTO facts VALUES (?, ?, ?) ON CONFLICT DO NOTHING", rows)
            db.execute("COMMIT")
            turns.give()

        return lambda: [timed(lambda rows=rows: write(rows)) for rows in parcels]

    return ready


def as_json(fact: Fact) -> tuple[str, bytes, str]:
    text = canonical(fact)
    return fact.operation_id, sha256(text.encode()).digest()[:FACT_BYTES], text


def one_by_one(url: str, facts: int) -> Work:
    """One process adds one fact at a time, as before a dispatch; a part is one fact."""

    def ready(number: int) -> Callable[[], list[float]]:
        ledger = open_ledger(url, patience_s=PATIENCE_S)
        ledger.add([], due=0)
        single = [operation(n, seed=99)[0] for n in range(facts)]
        return lambda: [timed(lambda fact=fact: ledger.add([fact], due=0)) for fact in single]

    return ready


def judging(url: str) -> Work:
    """Each process judges whatever is due until nothing is; a part is one pass."""

    def ready(number: int) -> Callable[[], list[float]]:
        ledger = open_ledger(url, patience_s=PATIENCE_S)
        ledger.facts(["nobody"])

        def judge_all() -> list[float]:
            parts: list[float] = []
            judged = 1
            while judged:
                begin = time.perf_counter()
                judged = judge_due(ledger, _nobody, now=FAR, timing=lambda tool: AT_ONCE).judged
                parts.append(time.perf_counter() - begin)
            return parts

        return judge_all

    return ready


def _nobody(telling: Telling) -> None:
    """Tells nobody."""


def latencies(url: str, operations: int, every_s: float, poll_s: float) -> Done:
    """From a committed fact to its verdict: one process adds an operation now and then, another judges."""
    context = multiprocessing.get_context("fork")
    added, told = context.Queue(), context.Queue()

    def judge() -> None:
        ledger = open_ledger(url, patience_s=PATIENCE_S)
        seen: dict[str, float] = {}
        while len(seen) < operations:
            done = judge_due(
                ledger,
                lambda telling: seen.setdefault(telling.told.operation_id, time.monotonic()) and None,
                now=FAR,
                timing=lambda tool: AT_ONCE,
            )
            if not done.judged:
                time.sleep(poll_s)
        told.put(seen)

    def add() -> None:
        ledger = open_ledger(url, patience_s=PATIENCE_S)
        at: dict[str, float] = {}
        for number in range(operations):
            facts = operation(number, seed=7)
            ledger.add(facts, due=0)
            at[facts[0].operation_id] = time.monotonic()
            time.sleep(every_s)
        added.put(at)

    children = [context.Process(target=target) for target in (judge, add)]
    for child in children:
        child.start()
    at, seen = added.get(timeout=600), told.get(timeout=600)
    for child in children:
        child.join()
    return Done(0, 0, [max(0.0, seen[name] - at[name]) for name in at])


def timed(do: Callable[[], object]) -> float:
    begin = time.perf_counter()
    do()
    return time.perf_counter() - begin


def spent(do: Callable[[], object]) -> float:
    """CPU seconds of this process."""
    begin = time.process_time()
    do()
    return time.process_time() - begin
