"""Runs of `bench.scale`: each in a process of its own, within a budget, and all of one evidence with one digest."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from bench.scale_facts import laid_out

Say = Callable[[str], None]
SPARK = "spark"
VARIES = 0.25
"""By such a share the start of one stream may differ from that of another."""


class DigestError(Exception):
    """Two engines said different things of the same evidence."""


@dataclass(frozen=True)
class Measured:
    """``us``: CPU microseconds a fact, of ``facts``. ``start_s``: CPU seconds that were taken off, because they are
    spent anyway."""

    what: str
    engine: str
    value: int
    us: float
    wall_s: float
    start_s: float = 0.0
    facts: int = 0

    @property
    def is_clear(self) -> bool:
        """Whether it can be told from what a start varies by."""
        return self.us > 0 and self.us * self.facts >= VARIES * self.start_s * 1e6


@dataclass(frozen=True)
class Case:
    """What is given to engines. ``evidence`` names it by its content; ``phases`` are folders of files."""

    what: str
    value: int
    evidence: str
    phases: list[Path]
    partitions: int
    facts: int


@dataclass
class Runs:
    folder: Path
    quick: bool
    budget_s: float
    say: Say
    measured: list[Measured] = field(default_factory=list)
    planned: list[Case] = field(default_factory=list)
    """Streams for Spark, which has all of them in one session at the end."""
    digests: dict[str, str] = field(default_factory=dict)
    stopped: set[tuple[str, str]] = field(default_factory=set)

    def evidence(self, name: str, phases: Iterable[Iterable[bytes]], parts: int) -> list[Path]:
        """Folders of files, one a phase."""
        folders = []
        for number, content in enumerate(phases):
            folders.append(self.folder / name / str(number))
            laid_out(folders[-1], content, parts)
        return folders

    def forget(self, name: str) -> None:
        shutil.rmtree(self.folder / name, ignore_errors=True)

    def is_within(self, what: str, engine: str, value: int) -> bool:
        """Whether a run would end within the budget, by what the one before it took. One that wouldn't is told of."""
        if (what, engine) in self.stopped:
            return False
        before = [one for one in self.measured if (one.what, one.engine) == (what, engine)]
        expected = before[-1].wall_s * value / before[-1].value if what == "facts" and before else 0.0
        if expected > self.budget_s:
            self.stopped.add((what, engine))
            self.say(
                f"{what:>10} {value:>11,} {engine:>12}   left out: about {expected:,.0f} s, budget {self.budget_s:,.0f}"
            )
        return (what, engine) not in self.stopped

    def run(self, case: Case, engine: str) -> None:
        if not self.is_within(case.what, engine, case.value):
            return
        if engine == SPARK:
            self.planned.append(case)
            return
        command = [sys.executable, "-m", "bench.scale_run", engine, "--partitions", str(case.partitions)]
        done = subprocess.run([*command, *map(str, case.phases)], stdout=subprocess.PIPE, text=True, check=True)
        self.keep(case, engine, json.loads(done.stdout))

    def keep(self, case: Case, engine: str, got: dict[str, float | str]) -> None:
        self.agree(case.evidence, engine, str(got["digest"]))
        start = float(got.get("empty_cpu_s", 0.0))
        us = (float(got["cpu_s"]) - start) / case.facts * 1e6
        one = Measured(case.what, engine, case.value, us, float(got["wall_s"]), start, case.facts)
        self.measured.append(one)
        beside = f"   beside {start:.1f} s for a stream" if start else ""
        said = f"{case.what:>10} {case.value:>11,} {engine:>12} {us:>9.1f} {one.wall_s:>8.1f}   {got['digest']}{beside}"
        self.say(said)

    def agree(self, evidence: str, engine: str, digest: str) -> None:
        if self.digests.setdefault(evidence, digest) != digest:
            raise DigestError(f"{engine} says {digest} of {evidence!r}, and others {self.digests[evidence]}")

    def on_spark(self) -> None:
        """All streams that were planned."""
        plan = self.folder / "plan"
        runs = [
            {"phases": list(map(str, one.phases)), "partitions": one.partitions, "lines": one.facts}
            for one in self.planned
        ]
        plan.write_text("\n".join(map(json.dumps, runs)), encoding="utf-8")
        command = [sys.executable, "-m", "bench.scale_spark", str(plan)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as streams:
            assert streams.stdout is not None
            got = (json.loads(line) for line in streams.stdout if line.startswith('{"cpu_s"'))
            for one, said in zip(self.planned, got, strict=True):
                self.keep(one, SPARK, said)
        if streams.returncode:
            raise SystemExit(f"streams on Spark ended with {streams.returncode}")
