"""One worker of a fleet and what it is measured by: facts into PostgreSQL, batch by batch, and verdicts after each."""

from __future__ import annotations

import multiprocessing
import time
from dataclasses import dataclass
from typing import Any

import psutil

from bench.ledger_facts import FACTS_PER_OPERATION, batches
from bench.scale_ledger import AT_ONCE, BATCH, FAR, PATIENCE_S
from counterfoil.ledger import open_ledger
from counterfoil.ledger.judging import judge_due

WARM = 5
"""Batches that are not counted: connections, statements and caches are new then."""


@dataclass(frozen=True)
class Turn:
    """One batch, from the first fact sent to the last verdict told, in seconds. ``own``: the worker's CPU time;
    ``server``: the database's; ``waits``: for the disk, and for a core, which can't be told apart."""

    own: float
    server: float
    waits: float

    @property
    def took(self) -> float:
        return self.own + self.server + self.waits


@dataclass(frozen=True)
class Done:
    turns: list[Turn]
    wall_s: float

    @property
    def facts_a_second(self) -> float:
        return len(self.turns) * BATCH / self.wall_s


def measured(url: str, server: int, workers: int, number: int) -> Done:
    """So many batches by each of these workers. ``server``: the process id of the database."""
    context = multiprocessing.get_context("fork")
    barrier, results = context.Barrier(workers + 1), context.Queue()
    children = [context.Process(target=_work, args=(url, first, number, barrier, results)) for first in range(workers)]
    for child in children:
        child.start()
    barrier.wait()
    before, began = _cpu(server), time.monotonic()
    got = [one for _ in children for one in results.get(timeout=600)]
    wall, used = time.monotonic() - began, _cpu(server) - before
    for child in children:
        child.join()
    each = used / len(got)
    return Done([Turn(own, min(each, took - own), max(0.0, took - own - each)) for own, took in got], wall)


def _work(url: str, seed: int, number: int, barrier: Any, results: Any) -> None:
    parcels = list(batches(range((number + WARM) * BATCH // FACTS_PER_OPERATION), seed=seed + 1, size=BATCH))
    ledger = open_ledger(url, patience_s=PATIENCE_S)
    got: list[tuple[float, float]] = []
    for turn, parcel in enumerate(parcels):
        if turn == WARM:
            barrier.wait()
        began, own = time.monotonic(), time.process_time()
        ledger.add(parcel, due=0)
        while judge_due(ledger, lambda telling: None, now=FAR, timing=lambda tool: AT_ONCE).judged:
            pass
        if turn >= WARM:
            got.append((time.process_time() - own, time.monotonic() - began))
    results.put(got)


def _cpu(server: int) -> float:
    """CPU seconds of a database and its children, those that have ended among them."""
    times = 0.0
    for process in (root := psutil.Process(server), *root.children(recursive=True)):
        try:
            spent = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        times += spent.user + spent.system + (spent.children_user + spent.children_system if process == root else 0.0)
    return times
