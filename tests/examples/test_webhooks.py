"""The examples with a webhook, run as a reader would: real HTTP, a real ledger, and `counterfoil show` after."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
WITHIN_S = 120
TRACED = """
import runpy, sys
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
import counterfoil
sys.path.insert(0, sys.argv[1])
provider = TracerProvider()
trace.set_tracer_provider(provider)
counterfoil.attach(provider)
runpy.run_path(sys.argv[1] + "/" + sys.argv[2], run_name="__main__")
"""


def run(folder: Path, *words: str) -> str:
    environment = {**os.environ, "COUNTERFOIL_LEDGER": f"sqlite:///{folder}/ledger.db"}
    command = [sys.executable, *words]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=WITHIN_S, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("example", ["fastapi_webhook.py", "django_webhook.py"])
@pytest.mark.parametrize("traced", [False, True], ids=["without_spans", "with_spans"])
def test_an_answer_is_lost_and_the_webhook_says_what_is_there(example: str, traced: bool, tmp_path: Path) -> None:
    start = ["-c", TRACED, str(EXAMPLES), example] if traced else [str(EXAMPLES / example)]

    said = run(tmp_path, *start)

    assert said.splitlines() == ["nobody knows yet", "the webhook came"]
    shown = run(tmp_path, "-m", "counterfoil", "show", "charge:order-7")
    assert "verified_applied: charge took effect once (pay_1)" in shown
    assert "webhook: holds pay_1" in shown
    (judged,) = json.loads(run(tmp_path, "-m", "counterfoil", "show", "charge:order-7", "--json"))[
        "operations"
    ].values()
    assert (judged["verdict"], judged["effect_refs"]) == ("verified_applied", ["pay_1"])
