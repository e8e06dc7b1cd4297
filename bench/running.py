"""How a bench is run by whoever runs several of them: each in a process of its own, with the same words every time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence

WORDS: Mapping[str, Sequence[str]] = {
    "processor": ("--rounds", "200"),
    "sampling": ("--rounds", "120"),
    "judge": ("--seconds", "8"),
    "throughput": ("--seconds", "4", "--operations", "30000"),
    "alert": ("--runs", "5"),
    "ledger": ("--operations", "3000", "--largest", "100000"),
}
"""What is asked of a bench that would take too long with its own defaults: all of them are to end in twelve minutes."""


def command(bench: str) -> list[str]:
    """The words after `python`."""
    return ["-m", f"bench.{bench}", *WORDS.get(bench, ())]


def printed(bench: str) -> str:
    """What a bench prints. One that misses an aim may end with 1; that is not for us to judge."""
    done = subprocess.run(
        [sys.executable, *command(bench)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return done.stdout
