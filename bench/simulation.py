"""A fleet past this machine, simulated from what one worker costs here: `python -m bench.simulation [--write DIR]`.

First one worker and then two are measured: facts into PostgreSQL in batches of 512, and verdicts after each batch. What
one worker's turns cost is drawn at random for every turn that is simulated. What two did is compared with what is
predicted for two, on this machine's cores: that is what makes the rest worth looking at.
"""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil

from bench.fleet_page import ASSUMED, written
from bench.fleet_queues import Fleet, Told, simulated
from bench.fleet_work import Done, measured
from bench.scale import machine
from tests.ledger.postgres import running

WORKERS = (1, 2, 4, 8, 16, 32, 64)
CORES = (8, 32)
"""Of the database's machine, in fleets."""

Say = Callable[[str], None]
LOAD = 0.7
"""Of what a fleet can take, where it is asked how long a verdict takes."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", type=int, default=60, help="that each worker is measured by")
    parser.add_argument("--turns", type=int, default=400, help="that each worker is simulated for")
    parser.add_argument("--spark", action="store_true", help="measure micro-batches as well, which takes a minute")
    parser.add_argument("--write", type=Path, metavar="DIR")
    asked = parser.parse_args()
    printed: list[str] = []

    def say(line: str) -> None:
        printed.append(line)
        print(line, flush=True)

    say(f"{machine()}; work of others is in what waits\n")
    with running("shared_buffers=512MB", "max_wal_size=4GB") as server:
        root = next(child.pid for child in psutil.Process().children() if child.name().startswith("postgres"))
        done = {workers: measured(server.fresh(), root, workers, asked.batches) for workers in (1, 2)}
    _said_of_one(done[1], say)
    _compared(done, asked.turns, say)
    fleets = _fleets(done[1], asked.turns, say)
    if asked.spark:
        from bench.fleet_spark import micro_batches

        micro_batches(say)
    if asked.write is not None:
        written(asked.write, printed, fleets)


def _said_of_one(one: Done, say: Say) -> None:
    own, server, waits = (
        sum(getattr(turn, part) for turn in one.turns) / len(one.turns) * 1e3 for part in ("own", "server", "waits")
    )
    say(f"One worker, a batch of 512 facts: {own:.1f} ms its own, {server:.1f} ms the database, {waits:.1f} ms waiting")


def _compared(done: dict[int, Done], turns: int, say: Say) -> None:
    say(f"\n{'workers':>8} {'':>10} {'facts/s':>9} {'p50 ms':>8} {'p99 ms':>8}   on this machine")
    for workers, real in done.items():
        fleet = Fleet(workers, cores=os.cpu_count() or 1, is_shared=True)
        told = simulated(fleet, done[1].turns, turns, random.Random(workers))
        _row(workers, "measured", Told(real.facts_a_second, sorted(turn.took for turn in real.turns)), say)
        _row(workers, "predicted", told, say)
        say(f"{'':>8} {'':>10} {told.facts_a_second / real.facts_a_second - 1:>+9.0%}   off")


def _fleets(one: Done, turns: int, say: Say) -> dict[int, list[tuple[int, Told]]]:
    for line in ASSUMED:
        say(line)
    say(f"\n{'workers':>8} {'database':>10} {'facts/s':>9} {'p50 ms':>8} {'p99 ms':>8}   simulated")
    fleets: dict[int, list[tuple[int, Told]]] = {}
    for cores in CORES:
        for workers in WORKERS:
            fleet = Fleet(workers, cores=cores, is_shared=False)
            most = simulated(fleet, one.turns, turns, random.Random(workers))
            told = simulated(fleet, one.turns, turns, random.Random(workers), LOAD * most.facts_a_second)
            both = Told(most.facts_a_second, told.latencies)
            fleets.setdefault(cores, []).append((workers, both))
            _row(workers, f"{cores} cores", both, say)
    return fleets


def _row(workers: int, what: str, told: Told, say: Say) -> None:
    p50, p99 = (_quantile(told.latencies, share) * 1e3 for share in (0.5, 0.99))
    say(f"{workers:>8} {what:>10} {told.facts_a_second:>9,.0f} {p50:>8.0f} {p99:>8.0f}")


def _quantile(known: Sequence[float], share: float) -> float:
    return known[min(len(known) - 1, int(len(known) * share))]


if __name__ == "__main__":
    main()
