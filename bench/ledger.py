"""What the ledgers cost: `python -m bench.ledger [sqlite] [postgres] [--operations N] [--largest N]`.

SQLite stands beside SQLite alone in interleaved rounds of the same run, of which the median counts: given the same
facts, which it keeps as the core's JSON under the core's name, and given rows that are ready made. PostgreSQL runs on
this machine with its own defaults (every commit waits for the disk), beside its clients. Every figure is printed with
its aim; nothing in here fails for being slow.
"""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.ledger_facts import FACTS_PER_OPERATION, batches, history
from bench.ledger_work import (
    PATIENCE_S,
    Done,
    adding,
    adding_raw,
    judging,
    latencies,
    one_by_one,
    spent,
    together,
)
from counterfoil.ledger import open_ledger
from counterfoil.ledger.judging import judge_due
from tests.ledger.postgres import running

ROUNDS = 3


def line(what: str, measured: str, aim: str = "") -> None:
    print(f"{what:<58} {measured:>26}   {aim}", flush=True)


def rate(done: Done, number: int) -> float:
    return number / done.wall_s


def middle(rounds: list[Done]) -> Done:
    return sorted(rounds, key=lambda done: done.wall_s)[len(rounds) // 2]


# -------------------------------------------------------------------------- SQLite


def sqlite(operations: int) -> None:
    for full in (False, True):
        mode = "full" if full else "normal"
        for processes in (1, 4):
            _sqlite_rounds(operations, processes, full=full, mode=f"synchronous={mode}")
    with tempfile.TemporaryDirectory() as folder:
        for mode in ("normal", "full"):
            done = together(one_by_one(f"sqlite:///{folder}/{mode}.db?synchronous={mode}", 3_000))
            aim = "aim 1 ms" if mode == "normal" else ""
            line(
                f"SQLite, synchronous={mode}: one fact before a dispatch",
                f"p50 {done.p(0.5):.2f}, p99 {done.p(0.99):.2f} ms",
                aim,
            )
    _sqlite_size_and_judging(operations)
    with tempfile.TemporaryDirectory() as folder:
        _flat_in_history(lambda length: f"sqlite:///{folder}/{length}.db", "SQLite")


def _sqlite_rounds(operations: int, processes: int, *, full: bool, mode: str) -> None:
    facts = operations * FACTS_PER_OPERATION
    ours: list[Done] = []
    alone: list[Done] = []
    made: list[Done] = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            url = f"sqlite:///{folder}/ledger.db?synchronous={'full' if full else 'normal'}"
            ours.append(together(adding(url, operations, processes), processes))
            for ready, done in ((False, alone), (True, made)):
                work = adding_raw(f"{folder}/raw{ready}.db", operations, processes, full=full, made=ready)
                done.append(together(work, processes))
    name = f"SQLite, {mode}, {processes} process{'es' if processes > 1 else ''}"
    own = middle(ours)
    line(f"{name}: facts a second", f"{rate(own, facts):,.0f}", "aim 20,000")
    for what, other, aim in (("given facts", alone, "aim 1.5 times"), ("given rows", made, "")):
        times = statistics.median(a.wall_s / b.wall_s for a, b in zip(ours, other, strict=True))
        line(f"{name}: alone, {what}", f"{rate(middle(other), facts):,.0f}, {times:.2f} times", aim)
    said = f"{own.p(0.99):.0f} ms, alone {middle(alone).p(0.99):.0f} ms"
    line(f"{name}: p99 of a batch of 512", said, "aim 150 ms" if processes == 4 else "")


def _sqlite_size_and_judging(operations: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/ledger.db"
        together(adding(url, operations, 1))
        line("SQLite: bytes a fact on disk", f"{_bytes(folder) / operations / FACTS_PER_OPERATION:.0f}", "aim 400")
        done = together(judging(url))
        line("SQLite: operations judged a second, 1 process", f"{rate(done, operations):,.0f}")
        told = _bytes(folder) / operations / FACTS_PER_OPERATION
        line("SQLite: bytes a fact on disk, with what was told", f"{told:.0f}")


def _bytes(folder: str) -> int:
    with sqlite3.connect(f"{folder}/ledger.db") as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return sum(path.stat().st_size for path in Path(folder).iterdir())


# ---------------------------------------------------------------------- PostgreSQL


def postgres(operations: int, largest: int) -> None:
    facts = operations * FACTS_PER_OPERATION
    with running("shared_buffers=512MB", "max_wal_size=4GB") as server:
        for processes in (1, 2, 4):
            url = server.fresh()
            done = together(adding(url, operations, processes), processes)
            said = f"{rate(done, facts):,.0f}, clients' CPU {done.cpu_s / facts * 1e6:.0f} µs each"
            line(f"PostgreSQL, {processes} writers: facts a second", said, "aim 25,000")
        for processes in (1, 2):
            url = server.fresh()
            together(adding(url, operations, 4), 4)
            done = together(judging(url), processes)
            line(f"PostgreSQL, {processes} judges: operations a second", f"{rate(done, operations):,.0f}", "aim 8,000")
        done = latencies(server.fresh(), 1_500, every_s=0.005, poll_s=0.002)
        said = f"p50 {done.p(0.5):.1f}, p99 {done.p(0.99):.1f} ms"
        line("PostgreSQL: from a committed fact to its verdict", said, "aim p99 20 ms")
        _flat_in_operations(server.fresh(), largest)
        _flat_in_history(lambda length: server.fresh(), "PostgreSQL")


def _flat_in_operations(url: str, largest: int) -> None:
    """A parcel of facts is added and judged when the ledger holds ten thousand operations, and ten times as many."""
    ledger = open_ledger(url, patience_s=PATIENCE_S)
    held = 0
    sizes = [size for size in (10_000, 100_000, 1_000_000) if size <= largest]
    for size in sizes:
        together(adding(url, size - held, 2), 2) if size - held > 0 else None
        held = size
        together(judging(url), 2)
        parcels = list(batches(range(5_000), seed=1_000 + size))
        added = together(lambda number, url=url, size=size: adding(url, 5_000, 1)(1_000 + size))
        judged = together(judging(url))
        number = sum(map(len, parcels))
        said = f"{added.wall_s / number * 1e6:.0f} µs to add, {judged.wall_s / number * 1e6:.0f} µs to judge"
        line(f"PostgreSQL holding {size:,} operations: a fact costs", said, "aim flat")
        held += 5_000
    ledger.close()


def _flat_in_history(fresh: Callable[[int], str], name: str) -> None:
    """One operation with a short history and a long one: what a fact costs to add and to judge."""
    for length in (10, 100, 1_000, 10_000):
        ledger = open_ledger(fresh(length), patience_s=PATIENCE_S)
        facts = history(length)
        ledger.add(facts[:1], due=2**62)
        repeats = max(1, 2_000 // length)
        added = spent(lambda ledger=ledger, facts=facts: ledger.add(facts, due=0))
        judged = 0.0
        for _ in range(repeats):
            judged += spent(lambda ledger=ledger: judge_due(ledger, lambda telling: None, now=2**62)) / repeats
            with ledger.claim(2**62, 1) as claim:
                claim.wake([facts[0].operation_id], 0)
        said = f"{added / length * 1e6:.0f} µs to add, {judged / length * 1e6:.0f} µs to judge"
        line(f"{name}, a history of {length:,} facts: a fact costs (CPU)", said, "aim flat")
        ledger.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", choices=["sqlite", "postgres", []], default=[])
    parser.add_argument("--operations", type=int, default=20_000)
    parser.add_argument("--largest", type=int, default=1_000_000)
    given = parser.parse_args()
    cores, load = os.cpu_count(), os.getloadavg()[0]
    print(
        f"Ledgers. Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {cores} cores, load {load:.1f}."
    )
    if "sqlite" in given.what or not given.what:
        sqlite(given.operations)
    if "postgres" in given.what or not given.what:
        postgres(given.operations, given.largest)


if __name__ == "__main__":
    main()
