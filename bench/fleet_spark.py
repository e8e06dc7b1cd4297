"""What a micro-batch takes on Spark, and what follows for more executors: simple enough to be worked out."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.scale_facts import even, laid_out
from bench.scale_spark import CONF, WARM_LINES, streamed
from counterfoil.engines.spark import session

SMALL, LARGE = 10, 20_000
SMALLS = 4
EXECUTORS, CORES = (1, 4, 16, 64), 2
LOAD = 0.7


def micro_batches(say: Callable[[str], None]) -> None:
    """Micro-batches with next to nothing in them, and then one with much."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        spark = session("bench", CONF)
        for number, facts in enumerate([WARM_LINES, *[SMALL] * SMALLS, LARGE]):
            laid_out(folder / f"{number}", even(facts), 1)
        phases = [folder / f"{number}" for number in range(SMALLS + 2)]
        took: list[float] = []
        streamed(spark, phases, CORES, WARM_LINES + SMALL * SMALLS + LARGE, folder / "stream", took)
    fixed = statistics.median(took[1 : SMALLS + 1])
    each = max(0.0, took[SMALLS + 1] - fixed) * CORES / LARGE
    say(
        f"\nSpark, a micro-batch on {CORES} cores: {fixed:.1f} s whatever is in it, and {each * 1e6:.0f} core-us a fact"
    )
    say(f"{'executors':>9} {'facts/s':>9} {'p99 s':>8}   {CORES} cores each, worked out; p99 at 70 % of what they take")
    for executors in EXECUTORS:
        most = executors * CORES / each if each else 0.0
        batch = fixed / (1 - LOAD)  # it takes what came during the one before it
        say(f"{executors:>9} {most:>9,.0f} {2 * batch:>8.0f}")
