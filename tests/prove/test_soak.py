"""What a process goes through within seconds; the hours are for `python -m prove.soak`."""

from __future__ import annotations

import mmap
import subprocess
import sys
from pathlib import Path

import pytest

from prove.soak.shop import Hangs, Heard, Shop
from prove.soak.storms import FILES, MEGABYTE, STORMS, Harmed, _closed, _once, _within, resident, stays_bounded

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("storm", STORMS)
def test_a_process_comes_through(storm: str) -> None:
    command = [sys.executable, "-m", "prove.soak", "--only", storm, "6"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith(f"{storm}: ")


def test_growth_is_harm() -> None:
    _within("memory", 100 * MEGABYTE, 104 * MEGABYTE)
    with pytest.raises(Harmed, match=r"memory grew from 100\.0 to 120\.0 MB"):
        _within("memory", 100 * MEGABYTE, 120 * MEGABYTE)
    _closed(10, 10 + FILES)
    with pytest.raises(Harmed, match="open files grew from 10 to 27"):
        _closed(10, 11 + FILES)


def test_a_leak_in_every_round_is_harm() -> None:
    """Also on a machine so busy that hardly any rounds are made. What is leaked is mapped: memory that this process
    had and gave back would be taken for it otherwise, and nothing would grow."""
    leaked: list[mmap.mmap] = []

    class Leaks(Shop):
        def charges(self, number: int) -> None:
            leaked.append(mmap.mmap(-1, resident() // 10))
            leaked[-1].write(b"1" * len(leaked[-1]))
            super().charges(10)

    leaking = Leaks(Hangs(), batch=True)
    with pytest.raises(Harmed, match="resident memory grew"):
        stays_bounded(leaking, 0, rounds=4)


def test_what_is_told_twice_or_not_at_all_is_harm() -> None:
    heard = Heard()
    heard.told = [("order-1", 1), ("order-1", 1)]
    with pytest.raises(Harmed, match="1 revisions were told twice"):
        _once(heard, 1)
    with pytest.raises(Harmed, match="1 of 2 operations"):
        _once(heard, 2)
