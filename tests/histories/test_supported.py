"""CI checks the audit on the oldest and the newest Pydantic AI: `python -m tools.selfcheck`, which `.ci/run` calls."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tools.selfcheck import LEFT_OUT, floor_of

ROOT = Path(__file__).parents[2]


def test_the_oldest_is_the_floor_of_the_extra() -> None:
    extra = ["pydantic-ai-slim>=2.62", "pydantic-ai-harness>=0.62"]
    assert floor_of({"project": {"optional-dependencies": {"pydantic-ai": extra}}}) == "2.62"


def test_without_an_index_it_says_what_it_left_out() -> None:
    nowhere = {"UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple", "UV_HTTP_RETRIES": "0", "UV_FIND_LINKS": ""}
    done = subprocess.run(
        [sys.executable, "-m", "tools.selfcheck"],
        cwd=ROOT,
        env={**os.environ, **nowhere},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, LEFT_OUT), done.stderr


def test_ci_runs_it() -> None:
    assert "-m tools.selfcheck" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
