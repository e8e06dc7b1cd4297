"""`python -m prove.agents PLANS WIRE COHORT`: one process of agents, with the plans in that file."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from prove import plan
from prove.telemetry.cohorts import SKEW_S


def _skewed(seconds: float) -> None:
    """Set this process's clocks: before anything has taken one by name."""
    wall, wall_ns = time.time, time.time_ns
    time.time = lambda: wall() + seconds
    time.time_ns = lambda: wall_ns() + int(seconds * 1e9)


def main() -> None:
    plans, wire, cohort = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    if cohort in SKEW_S:
        _skewed(SKEW_S[cohort])
    from prove.agents.working import work
    from prove.telemetry.pipeline import pipeline

    with pipeline():
        asyncio.run(work(plan.read(plans), wire))


if __name__ == "__main__":
    main()
