"""Run an application as it is, and gather what its processes saw of themselves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from counterfoil import names
from counterfoil.doors.boot import REPORT
from counterfoil.suggesting.seen import Tools

NOT_FOUND = 127


@dataclass(frozen=True, slots=True)
class Tool:
    """What was seen of one tool, in numbers, and where its requests that may change something went."""

    counts: Counter[str] = field(default_factory=Counter)
    hosts: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Run:
    """``exit_code`` is the application's own, or 127 where it could not be started; ``entered`` are the processes in
    which a door opened, ``reports`` those of them that built a pipeline."""

    exit_code: int
    entered: int
    reports: tuple[Mapping[str, Any], ...]

    @property
    def tools(self) -> dict[str, Tool]:
        found: dict[str, Tool] = {}
        for report in self.reports:
            for name, seen in report["tools"].items():
                tool = found.setdefault(name, Tool())
                tool.counts.update({what: count for what, count in seen.items() if isinstance(count, int)})
                tool.hosts.update(seen["hosts"])
        return found

    @property
    def verdicts(self) -> Counter[str]:
        said: Counter[str] = Counter()
        for report in self.reports:
            said.update(report["verdicts"])
        return said

    @property
    def suggests(self) -> Tools:
        """What a first settings file can be made from."""
        tools = Tools()
        for report in self.reports:
            for one in report["suggests"]:
                tools.add(one)
        return tools

    def record(self) -> dict[str, object]:
        """For programs. It holds names of tools and hosts, and numbers."""
        return {
            "exit_code": self.exit_code,
            "processes": list(self.reports),
            "tools": {name: {**tool.counts, "hosts": sorted(tool.hosts)} for name, tool in self.tools.items()},
            "verdicts": dict(self.verdicts),
        }


def run(command: Sequence[str]) -> Run:
    """Run the command with our switch on, until it ends. What it prints goes to standard error."""
    with tempfile.TemporaryDirectory(prefix="counterfoil-") as folder:
        exit_code = _run(command, {**os.environ, names.ENABLED_SETTING: "true", REPORT: folder})
        written = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(Path(folder).glob("*.json"))]
    return Run(exit_code, len(written), tuple(report for report in written if report))


def _run(command: Sequence[str], environ: Mapping[str, str]) -> int:
    try:
        process = subprocess.Popen(command, env=environ, stdout=sys.stderr)
    except OSError as wrong:
        print(f"counterfoil: {command[0]!r} can't be started: {wrong.strerror}", file=sys.stderr)
        return NOT_FOUND
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:  # the application has got it as well, and is asked to end by it
            continue
