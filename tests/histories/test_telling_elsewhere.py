"""A verdict on a history in surroundings of others: under Logfire, and in files that are audited for operations."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

from counterfoil import audit_history
from counterfoil.demo.jsonlines import JsonLines
from tests.histories.lists import CONFIG, TERMS, paid
from tests.shell.watching import Watching

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("where", ["beside", "inside", "without"])
@pytest.mark.parametrize("share", ["1", "0"])
def test_under_logfire_it_is_said_once_and_never_sampled_out(share: str, where: str, tmp_path: Path) -> None:
    """Beside Logfire's processors, among its additional ones, or without a processor of ours at all."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("resumed_under_logfire.py")), share, where],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said.count("history verdict orphan_result_removed") == 1
    assert any(line.startswith("invoke_agent payer") for line in said) == (share == "1")


def test_an_audit_of_exported_spans_takes_it_for_no_operation(tmp_path: Path) -> None:
    watching = Watching()
    with watching.span("resuming"):
        audit_history(paid()[:2], contract=TERMS, config=CONFIG, tell=True)
    exported = tmp_path / "telemetry.jsonl"
    with JsonLines(exported) as file:
        file.write(encode_spans(watching.exporter.get_finished_spans()))
        file.write(encode_logs(watching.events()))
    done = subprocess.run(
        [sys.executable, "-m", "counterfoil", "audit", str(exported)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.startswith("0 operations; 0 facts, 0 lines skipped"), done.stdout + done.stderr
