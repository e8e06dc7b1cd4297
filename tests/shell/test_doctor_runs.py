"""The command `counterfoil doctor`, as somebody runs it, alone and around an application."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from counterfoil.config import Config
from tests.real.sink import Sink, sink
from tests.shapes.application import APPS
from tests.shell.test_doctor import GOOD


def doctor(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "counterfoil", "doctor", *arguments]
    env = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}", **variables}
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)


def test_people_get_a_table_and_programs_get_json() -> None:
    table, lines = doctor(**GOOD), doctor("--json", **GOOD)
    checks = json.loads(lines.stdout)["checks"]
    assert {check["check"] for check in checks} >= {"switch", "door .pth", "sampler", "ledger", "collector"}
    for check in checks:
        assert f"{check['state']} " in table.stdout
        assert check["says"] in table.stdout
        assert check["set"] in table.stdout
    assert table.returncode == lines.returncode == 0


def test_a_contradiction_is_the_exit_code() -> None:
    done = doctor(**GOOD, OTEL_TRACES_SAMPLER="always_off")
    assert done.returncode == 1
    assert "1 contradiction" in done.stdout


# ------------------------------------------------------------------- an application that is run


@pytest.fixture(scope="module")
def receiver() -> Iterator[Sink]:
    with sink() as running:
        yield running


def watched(receiver: Sink, *command: str, **variables: str) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    """What the doctor says of a command, whole and as JSON."""
    here = {**GOOD, "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url, **variables}
    done = doctor("--json", "--", *command, **here)
    return done, json.loads(done.stdout)


def states(report: dict[str, Any]) -> dict[str, str]:
    return {check["check"]: check["state"] for check in report["checks"]}


def test_an_application_is_run_and_watched(receiver: Sink) -> None:
    done, report = watched(receiver, "opentelemetry-instrument", sys.executable, str(APPS / "agent.py"))
    assert done.returncode == 0, done.stderr
    assert "done" in done.stderr  # what the application prints
    tool = report["run"]["tools"]["charge"]
    assert (tool["calls"], tool["with_arguments"], tool["with_operation_id"], tool["with_effect"]) == (1, 1, 1, 1)
    assert report["run"]["verdicts"] == {"verified_applied": 1}
    (process,) = report["run"]["processes"]
    assert set(process["doors"]) == {"pth", "pre_instrument", "instrumentor"}
    assert process["pipelines"] == [
        {"provider": "opentelemetry.sdk.trace.TracerProvider", "exporters": ["OTLPSpanExporter"]}
    ]
    assert "4711" not in done.stdout  # an argument


def test_children_are_watched_too(receiver: Sink) -> None:
    _, report = watched(receiver, "opentelemetry-instrument", sys.executable, str(APPS / "children.py"), "fork")
    assert len(report["run"]["processes"]) == 2
    assert report["run"]["tools"]["charge"]["calls"] == 2
    assert report["run"]["verdicts"] == {"verified_applied": 2}


def test_exporters_are_found_inside_logfire(receiver: Sink) -> None:
    local = {"LOGFIRE_SEND_TO_LOGFIRE": "false", "LOGFIRE_CONSOLE": "false"}
    _, report = watched(receiver, sys.executable, str(APPS / "with_logfire.py"), **local)
    assert states(report)["run: pipeline"] == "ok"
    (process,) = report["run"]["processes"]
    assert "OTLPSpanExporter" in str(process["pipelines"])


@pytest.mark.parametrize(
    ("command", "check"),
    [
        ([sys.executable, "-c", "print('no telemetry at all')"], "run: pipelines"),
        ([sys.executable, "-S", "-c", "pass"], "run: doors"),
        (["no-such-program"], "run"),
    ],
)
def test_an_application_that_can_not_be_seen_is_a_contradiction(receiver: Sink, command: list[str], check: str) -> None:
    done, report = watched(receiver, *command)
    assert done.returncode == 1
    assert states(report)[check] == "contradiction"


# ------------------------------------------------------------------- a first settings file


def test_what_a_run_showed_is_written_as_a_first_settings_file(receiver: Sink, tmp_path: Path) -> None:
    file = tmp_path / "first.toml"
    command = ("opentelemetry-instrument", sys.executable, str(APPS / "agent.py"))
    here = {**GOOD, "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url}
    done = doctor("--suggest", str(file), "--", *command, **here)
    assert done.returncode == 0, done.stderr
    assert "1 tool in first.toml" in done.stdout
    said = file.read_text(encoding="utf-8")
    assert "[tools.charge]\n#. 1 call, 1 of 1 outcomes known\n" in said
    assert '# effect_ref = "result:id"' in said
    assert "4711" not in said  # an argument
    assert "ch-1" not in said  # a result
    assert Config.from_env({"COUNTERFOIL_CONFIG": str(file)}).tools.keys() == {"charge"}


def test_requests_and_children_are_added_up(receiver: Sink, tmp_path: Path) -> None:
    file = tmp_path / "first.toml"
    here = {**GOOD, "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url}
    paying = ("opentelemetry-instrument", sys.executable, str(APPS / "paying.py"), "key-1")
    both = f"{' '.join(paying)} && {' '.join(paying)}"
    assert doctor("--suggest", str(file), "--", "sh", "-c", both, **here).returncode == 0
    said = file.read_text(encoding="utf-8")
    assert "#. 2 calls, 0 of 2 outcomes known" in said
    assert said.count("POST 127.0.0.1:") == 2
    assert "#. 4 of 4 requests showed an idempotency key" in said
    assert "key-1" not in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--suggest", "new.toml"), "run an application"),
        (("--suggest", "there.toml", "--", "true"), "is there already"),
        (("--suggest", "no-such-folder/new.toml", "--", "true"), "can't be written"),
    ],
)
def test_a_file_that_can_not_be_written_is_told_before_the_run(
    words: tuple[str, ...], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.toml").write_text("# somebody's", encoding="utf-8")
    done = doctor(*words, **GOOD)
    assert done.returncode == 2
    assert says in done.stderr.replace("\n", " ")
    assert (tmp_path / "there.toml").read_text(encoding="utf-8") == "# somebody's"


def test_a_run_without_tools_suggests_nothing(receiver: Sink, tmp_path: Path) -> None:
    file = tmp_path / "first.toml"
    code = "from opentelemetry import trace; trace.get_tracer('shop').start_span('nothing').end()"
    here = {**GOOD, "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url}
    done = doctor("--suggest", str(file), "--", "opentelemetry-instrument", sys.executable, "-c", code, **here)
    assert "there is nothing to suggest" in " ".join(done.stdout.split())
    assert not file.exists()
