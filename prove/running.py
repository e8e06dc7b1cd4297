"""One run: the world is started, agents work in it, desks look, and what is left is a folder of records."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx

from prove import plan
from prove.plan import Plan
from prove.serving import process
from prove.telemetry.cohorts import environment, settings
from prove.telemetry.recording import recorded

WORKERS = 3
CHUNK = 2_500
"""So many operations are given to one process of agents."""

WEIGHTS = {"dbos": 2_000, "killed": 30}
"""Against an operation that costs no process of its own."""

AGENTS_WITHIN_S = 3_600
DESKS_WITHIN_S = 900


def run(plans: Sequence[Plan], folder: Path, seed: int, agents: str = "prove.agents") -> None:
    """Carry out the plans, and record all of it under a folder, which must be new. ``agents``: whose module to run."""
    kept = folder / "kept"
    kept.mkdir(parents=True)
    plan.written(plans, folder / "plans.jsonl")
    settings(folder)
    with ExitStack() as world:
        receiver = world.enter_context(process("prove.telemetry.receiver", str(kept)))
        desks = [
            f"http://127.0.0.1:{port}"
            for cohort, name in (("whole", "plain"), ("shared", "ledger"))
            for port in [world.enter_context(_desk(cohort, name, folder, receiver))]
        ]
        provider = world.enter_context(process("prove.world", "provider", str(folder), *desks))
        wire = world.enter_context(process("prove.world", "wire", str(folder), str(provider)))
        with ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(lambda chunk: _agents(chunk, folder, receiver, wire, desks), chunks(plans, agents)))
        with httpx.Client(timeout=DESKS_WITHIN_S) as http:
            http.post(f"http://127.0.0.1:{provider}/release").raise_for_status()
            for desk in desks:
                http.post(f"{desk}/look", params={"provider": provider}).raise_for_status()
    recorded(kept, folder / "telemetry", seed)


@dataclass(frozen=True, slots=True)
class Chunk:
    """What one process of agents does."""

    name: str
    cohort: str
    kind: str
    plans: Sequence[Plan]
    agents: str = "prove.agents"


def chunks(plans: Sequence[Plan], agents: str = "prove.agents") -> list[Chunk]:
    """The plans by how their telemetry travels and who carries them out, the longest first."""
    groups: dict[tuple[str, str], list[Plan]] = {}
    for one in plans:
        kind = one.framework if one.kill == "none" else "killed"
        groups.setdefault((one.telemetry, kind), []).append(one)
    made = [
        Chunk(f"{cohort}-{kind}-{start // CHUNK}", cohort, kind, group[start : start + CHUNK], agents)
        for (cohort, kind), group in groups.items()
        for start in range(0, len(group), CHUNK)
    ]
    return sorted(made, key=lambda chunk: len(chunk.plans) * WEIGHTS.get(chunk.kind, 1), reverse=True)


def _desk(cohort: str, name: str, folder: Path, receiver: int) -> AbstractContextManager[int]:
    return process("prove.desk", str(folder), name, env=environment(cohort, f"desk-{name}", folder, receiver))


def _agents(chunk: Chunk, folder: Path, receiver: int, wire: int, desks: Sequence[str]) -> None:
    path = folder / "chunks" / f"{chunk.name}.jsonl"
    path.parent.mkdir(exist_ok=True)
    plan.written(chunk.plans, path)
    env = {**os.environ, **environment(chunk.cohort, chunk.name, folder, receiver)}
    with (folder / "chunks" / f"{chunk.name}.log").open("ab") as log:

        def once(*words: str, check: bool = True) -> None:
            command = [sys.executable, "-m", *words]
            subprocess.run(command, env=env, stdout=log, stderr=log, timeout=AGENTS_WITHIN_S, check=check)

        if chunk.kind != "dbos":
            once(
                chunk.agents,
                str(path),
                str(wire),
                chunk.cohort,
                chunk.kind,
                desks[chunk.cohort in ("shared", "down")],
            )
            return
        for one in chunk.plans:
            words = ("prove.agents.durable", str(path), str(wire), one.name, str(path.parent))
            once(*words, "first", check=False)  # it is killed
            once(*words, "second")
