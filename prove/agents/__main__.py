"""`python -m prove.agents PLANS WIRE COHORT KIND DESK`: one process of agents, with the plans in that file."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from prove import plan
from prove.agents.client import Run
from prove.serving import process
from prove.telemetry.cohorts import SKEW


def _skewed(seconds: float) -> None:
    """Set this process's clocks: before anything has taken one by name."""
    wall, wall_ns = time.time, time.time_ns
    time.time = lambda: wall() + seconds
    time.time_ns = lambda: wall_ns() + int(seconds * 1e9)


def main(own: Callable[[Path], Run] | None = None) -> None:
    """``own``: other agents than Pydantic AI's plain ones, for the run in that folder."""
    path, wire, cohort, kind = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    if cohort in SKEW:
        _skewed(SKEW[cohort])
    from prove.telemetry.pipeline import pipeline

    plans = plan.read(path)
    with pipeline() as provider:
        if kind == "killed":
            from prove.agents import killed

            killed.work(plans, wire, provider, own(path.parents[1]) if own is not None else None)
        else:
            from prove.agents.working import work

            with ExitStack() as servers:
                run = own(path.parents[1]) if own is not None else _run(kind, servers, path, wire)
                asyncio.run(work(plans, wire, sys.argv[5], run))


def _run(kind: str, servers: ExitStack, path: Path, wire: int) -> Run:
    """How a framework's agent is run. Only the one that is asked for is imported."""
    match kind:
        case "openai":
            from prove.agents.openai_clerk import run
        case "langgraph":
            from prove.agents.graph_clerk import run
        case "mcp":
            from prove.agents.working import by_mcp

            resource = os.environ["OTEL_RESOURCE_ATTRIBUTES"]
            served = process(
                "prove.agents.mcp_server", str(path), str(wire), env={"OTEL_RESOURCE_ATTRIBUTES": f"{resource}-server"}
            )
            return by_mcp(servers.enter_context(served))
        case _:
            from prove.agents.working import by_pydantic_ai

            return by_pydantic_ai()
    return run


if __name__ == "__main__":
    main()
