"""Workers that wait for one another at a database: a few lines of queueing, so that no library is needed for it."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from bench.fleet_work import Turn
from bench.scale_ledger import BATCH


@dataclass(frozen=True)
class Fleet:
    """``cores``: where work waits for its turn, first come first served. They are the database's, and each worker has a
    core of its own; or, where ``is_shared``, all there are, for database and workers."""

    workers: int
    cores: int
    is_shared: bool


@dataclass(frozen=True)
class Told:
    """``latencies``: from when a batch arrived to its last verdict, in seconds, sorted."""

    facts_a_second: float
    latencies: list[float]


def simulated(
    fleet: Fleet, turns: Sequence[Turn], number: int, chance: Random, facts_a_second: float | None = None
) -> Told:
    """So many batches by each worker. Without a rate the next batch is there as soon as one is done; with one, batches
    come at random to the whole fleet at that rate, and wait for their worker."""
    free = [0.0] * fleet.cores
    gap = 0.0 if facts_a_second is None else fleet.workers * BATCH / facts_a_second
    arrived = [chance.expovariate(1 / gap) if gap else 0.0 for _ in range(fleet.workers)]
    events = [(at, worker, 0) for worker, at in enumerate(arrived)]  # time, worker, stage of its turn
    heapq.heapify(events)
    current: dict[int, Turn] = {}
    left = [number] * fleet.workers
    latencies: list[float] = []
    end = 0.0
    while events:
        at, worker, stage = heapq.heappop(events)
        if stage == 0:
            current[worker] = chance.choice(turns)
            done = _served(free, at, current[worker].own) if fleet.is_shared else at + current[worker].own
            heapq.heappush(events, (done, worker, 1))
        elif stage == 1:
            heapq.heappush(events, (_served(free, at, current[worker].server) + current[worker].waits, worker, 2))
        else:
            end = max(end, at)
            latencies.append(at - arrived[worker])
            left[worker] -= 1
            if left[worker]:
                arrived[worker] = arrived[worker] + chance.expovariate(1 / gap) if gap else at
                heapq.heappush(events, (max(at, arrived[worker]), worker, 0))
    return Told(len(latencies) * BATCH / end, sorted(latencies))


def _served(free: list[float], at: float, takes: float) -> float:
    """When the core that is free first is done with it."""
    done = max(at, heapq.heappop(free)) + takes
    heapq.heappush(free, done)
    return done
