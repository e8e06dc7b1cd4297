"""What a fact costs at scale, by every engine: `python -m bench.scale [--quick] [--budget S] [--write DIR]`.

CPU time of all processes that took part, the database's server, Spark's JVM and its Python workers among them, from a
line of evidence to a verdict. Within one run all engines must come to the same digest of verdicts; if they don't, that
is an error. A size whose run would take longer than the budget, by what the size before it took, is left out, and that
is said.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.scale_page import page
from bench.scale_runs import Runs
from bench.scale_sections import SECTIONS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, and few of them")
    parser.add_argument("--budget", type=float, default=150, metavar="S", help="seconds that one run may take")
    parser.add_argument("--only", choices=list(SECTIONS), action="append")
    parser.add_argument("--write", type=Path, metavar="DIR", help="the page and its pictures")
    asked = parser.parse_args()
    printed: list[str] = []

    def say(line: str) -> None:
        printed.append(line)
        print(line, flush=True)

    say(machine())
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(Path(folder), quick=asked.quick, budget_s=asked.budget, say=say)
        for name in asked.only or SECTIONS:
            SECTIONS[name](runs)
    if asked.write is not None:
        page(asked.write, printed, runs.measured, command(sys.argv[1:]))


def machine() -> str:
    python = f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}"
    return f"{python}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.0f} when it began"


def command(words: Sequence[str]) -> str:
    return " ".join(("python -m bench.scale", *words))


if __name__ == "__main__":
    main()
