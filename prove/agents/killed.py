"""Agents that meet SIGKILL: each in a process that was forked for it, and perhaps another one that takes its work up.

What was in the queue of the exporter dies with the process. What the ledger was told does not.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Sequence
from multiprocessing.process import BaseProcess
from random import Random

import httpx
from opentelemetry.sdk.trace import TracerProvider

from prove.agents.client import Client, Run
from prove.agents.working import by_pydantic_ai
from prove.plan import Plan

AT_ONCE = 4
ENDS_WITHIN_S = 120
ANY_TIME_MS = 60
"""SIGKILL by the clock comes within so many milliseconds of the fork."""


def work(plans: Sequence[Plan], wire: int, provider: TracerProvider, run: Run | None = None) -> None:
    """Carry out the plans, so many at once: all first lives of a group, then all second ones."""
    run = run or by_pydantic_ai()
    for start in range(0, len(plans), AT_ONCE):
        group = plans[start : start + AT_ONCE]
        _lives([(plan, False) for plan in group], wire, provider, run)
        _lives([(plan, True) for plan in group if plan.resumed in ("same_key", "new_key")], wire, provider, run)


def _lives(lives: Sequence[tuple[Plan, bool]], wire: int, provider: TracerProvider, run: Run) -> None:
    forks = multiprocessing.get_context("fork")
    running = [forks.Process(target=_life, args=(plan, resumed, wire, provider, run)) for plan, resumed in lives]
    for process in running:
        process.start()
    for (plan, resumed), process in zip(lives, running, strict=True):
        if plan.kill == "any" and not resumed:
            _kill(process, Random(f"{plan.name}").uniform(0, ANY_TIME_MS) / 1_000)
        process.join(ENDS_WITHIN_S)


def _kill(process: BaseProcess, after_s: float) -> None:
    process.join(after_s)
    if process.pid is not None and process.is_alive():
        os.kill(process.pid, signal.SIGKILL)


def _life(plan: Plan, resumed: bool, wire: int, provider: TracerProvider, run: Run) -> None:
    asyncio.run(_run(plan, resumed, wire, run))
    provider.shutdown()


async def _run(plan: Plan, resumed: bool, wire: int, run: Run) -> None:
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{wire}") as http:
        await run(Client(http, plan, resumed))
