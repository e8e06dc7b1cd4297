"""The examples of other frameworks, run as a reader would: real packages, real HTTP, and `counterfoil show` after."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
WITHIN_S = 120


def run(folder: Path, *words: str) -> str:
    environment = {**os.environ, "COUNTERFOIL_LEDGER": f"sqlite:///{folder}/ledger.db"}
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def judged(folder: Path, operation: str) -> tuple[str, list[str]]:
    (found,) = json.loads(run(folder, "-m", "counterfoil", "show", operation, "--json"))["operations"].values()
    return found["verdict"], found["effect_refs"]


@pytest.mark.parametrize("example", ["langgraph_retry.py", "openai_agents_retry.py"])
def test_a_retry_after_a_lost_answer_charges_once(example: str, tmp_path: Path) -> None:
    said = run(tmp_path, str(EXAMPLES / example))
    assert said.splitlines() == ["The order is paid.", "the provider holds 1 charge(s)"]
    assert judged(tmp_path, "charge:order-7") == ("verified_applied", ["pay_1"])
    assert run(tmp_path, "-m", "counterfoil", "show", "charge:order-7").count("meant: charge") == 2


def test_a_probe_keeps_the_blind_repeat_from_running(tmp_path: Path) -> None:
    said = run(tmp_path, str(EXAMPLES / "did_it_land.py"))
    assert said.splitlines() == [
        "The order is paid.",
        "the tool ran 1 time(s), and the provider holds 1 charge(s)",
    ]
    assert judged(tmp_path, "charge:order-7") == ("verified_applied", ["pay_1"])


def test_a_step_stores_record_becomes_a_fact_and_gets_the_verdict(tmp_path: Path) -> None:
    said = run(tmp_path, str(EXAMPLES / "step_persistence.py"))
    assert said.splitlines() == [
        "the run failed",
        "the step store says: failed",
        "beside it: counterfoil: verified_applied (pay_1)",
    ]
    (operation,) = re.findall(r"derived:\w+", run(tmp_path, "-m", "counterfoil", "list", "--json"))[:1]
    assert judged(tmp_path, operation) == ("verified_applied", ["pay_1"])


def test_every_example_is_in_the_table() -> None:
    table = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    programs = {path.name for path in EXAMPLES.glob("*.py") if '__name__ == "__main__"' in path.read_text("utf-8")}
    assert set(re.findall(r"`(\w+\.py)`", table)) == programs
