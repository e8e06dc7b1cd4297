"""Starting a judge in a way that can't be meant is told in plain words, and shows no token."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from counterfoil.cli.frame import app
from tests.judge.running import ledger_in

HEARD = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "SHORT": "hunter2", "LONG": "a-token-of-some-length"}


@pytest.fixture(autouse=True)
def signals() -> Iterator[None]:
    """The command is run in this process, and takes its signals."""
    before = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)}
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--http", "4318"], "is no address"),
        (["--http", "127.0.0.1:99999"], "is no address"),
        (["--http", "off", "--grpc", "somewhere"], "is no address"),
        (["--tls-cert", "chain.pem"], "give both"),
        (["--tls-cert", "no-such.pem", "--tls-key", "no-such.pem"], "the certificate can't be used"),
        (["--token-env", "SHORT"], "at least 16 characters"),
        (["--token-env", "NO_SUCH_VARIABLE"], "at least 16 characters"),
        (["--token-file", "no-such-file"], "can't be read"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(words: list[str], complaint: str, tmp_path: Path) -> None:
    ran = CliRunner().invoke(app, ["judge", "--ledger", ledger_in(tmp_path), "--grpc", "off", *words], env=HEARD)
    assert ran.exit_code == 2
    assert complaint in " ".join(ran.stderr.split())
    assert "hunter2" not in ran.output


def test_a_judge_that_nobody_would_hear_is_not_started(tmp_path: Path) -> None:
    silent = dict.fromkeys(("OTEL_EXPORTER_OTLP_ENDPOINT",))
    ran = CliRunner().invoke(app, ["judge", "--ledger", ledger_in(tmp_path)], env=silent)
    assert ran.exit_code == 2
    assert "nobody would hear" in ran.stderr


def test_a_ledger_that_is_none_is_told_before_anything_is_taken(tmp_path: Path) -> None:
    (tmp_path / "judge.db").write_bytes(b"this is no database, and longer than a header of one" * 40)
    doors = ["--http", "127.0.0.1:0", "--grpc", "off"]
    ran = CliRunner().invoke(app, ["judge", "--ledger", ledger_in(tmp_path), *doors], env=HEARD)
    assert ran.exit_code == 3
    assert "judge.db" in ran.stderr
