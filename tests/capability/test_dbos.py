"""A durable engine runs a tool's body again after a crash. What that does depends on who asks the evidence first.

Real processes, killed; DBOS on SQLite recovers the workflow with the same run, conversation and call. The provider is a
file. The operation has no declared name: the one that is derived survives the crash.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from counterfoil.judge import Judgement
from counterfoil.ledger import open_ledger
from counterfoil.ledger.looking import every

ROOT = Path(__file__).parents[2]


def crashed_and_recovered(folder: Path, guard: str, dies: str) -> tuple[list[str], Judgement]:
    """What the provider holds in the end, and what the ledger says of the one operation."""
    ledger = f"sqlite:///{folder}/ledger.db"

    def process(*args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "tests.capability.recovered", str(folder), guard, *args],
            cwd=ROOT,
            env={**os.environ, "COUNTERFOIL_LEDGER": ledger},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    first = process("first", dies)
    assert first.returncode == -signal.SIGKILL, first.stderr
    second = process("second")
    assert second.stdout.splitlines()[-1:] == ["done"], second.stderr
    [judgement] = every(open_ledger(ledger))
    return (folder / "charges").read_text().splitlines(), judgement


def test_without_a_guard_the_card_is_charged_twice_and_the_verdict_says_so(tmp_path: Path) -> None:
    charges, judgement = crashed_and_recovered(tmp_path, "off", "killed-after")
    assert charges == ["ch_1", "ch_2"]
    assert (judgement.verdict, judgement.effect_refs) == ("duplicate_effect", ("ch_1", "ch_2"))


def test_with_one_that_enforces_it_is_charged_once(tmp_path: Path) -> None:
    charges, judgement = crashed_and_recovered(tmp_path, "enforce", "killed-after")
    assert charges == ["ch_1"]
    assert (judgement.verdict, judgement.effect_refs) == ("verified_applied", ("ch_1",))


@pytest.mark.parametrize(("guard", "verdict"), [("enforce", "indeterminate"), ("probed", "verified_applied")])
def test_killed_before_anybody_saw_the_receipt_it_is_still_charged_once(
    guard: str, verdict: str, tmp_path: Path
) -> None:
    """Only the intent is left. That is doubt, never proof that nothing was done; a probe finds the charge."""
    charges, judgement = crashed_and_recovered(tmp_path, guard, "killed-inside")
    assert charges == ["ch_1"]
    assert judgement.verdict == verdict


def test_a_consultation_that_is_replayed_is_paid_for_twice_and_did_nothing_twice(tmp_path: Path) -> None:
    """DBOS keeps requests to the model, and not what a function tool does: whoever recovers asks the advisor again."""
    done = [
        subprocess.run(
            [sys.executable, "-m", "tests.capability.consulted", str(tmp_path), phase],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        for phase in ("first", "second")
    ]
    assert done[0].returncode == -signal.SIGKILL, done[0].stderr
    told = "replayed An advisor was asked the same again, by a replay: a repeated cost, and no repeated effect."
    assert done[1].stdout.splitlines()[-2:] == [told, "healthy"], done[1].stderr
    assert (tmp_path / "asked").read_text().splitlines() == ["asked"] * 2
