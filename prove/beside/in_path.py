"""Runs with a contender in the path: the same seeded agents and plans, a smaller number of them."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from prove.beside import effect_executor, once_guard, ours, step_ledger
from prove.beside.answers import Contender
from prove.beside.scores import Scores
from prove.generator import plans
from prove.plan import FRAMEWORKS, Plan
from prove.running import run

OPERATIONS = 1_000
EACH = 667
"""So many plans are drawn from each seed, as `make prove` does."""

COHORTS = ("whole", "shared")
IN_PATH: Sequence[tuple[Contender, str]] = (
    (step_ledger.CONTENDER, step_ledger.__name__),
    (once_guard.CONTENDER, once_guard.__name__),
    (effect_executor.CONTENDER, effect_executor.__name__),
)


def fitting(seed: int, operations: int = OPERATIONS) -> list[Plan]:
    """So many plans that an agent of Pydantic AI with whole telemetry carries out."""
    found: list[Plan] = []
    while len(found) < operations:
        found += [
            one
            for one in plans(seed, EACH)
            if one.framework == FRAMEWORKS[0] and one.telemetry in COHORTS and one.habit != "read"
        ]
        seed += 1
    return found[:operations]


def judged(folder: Path, seed: int, operations: int = OPERATIONS) -> list[Scores]:
    """Run each alone, under a folder of its own, and hold its answers, and ours, against that run's book."""
    found = []
    for contender, module in IN_PATH:
        own = folder / contender.name.replace(" ", "-")
        shutil.rmtree(own, ignore_errors=True)
        run(fitting(seed, operations), own, seed, module)
        scores = Scores((contender, ours.CONTENDER))
        scores.add(own)
        found.append(scores)
    return found
