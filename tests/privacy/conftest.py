"""What the agent with secrets left behind: all that was exported, its ledger's files, its log and what it printed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from typer.testing import CliRunner

from counterfoil.cli.frame import app
from counterfoil.demo.jsonlines import as_otlp_json
from tests.privacy.canaries import SECRETS
from tests.real.sink import Sink, sink
from tests.shapes.application import BIN

HERE = Path(__file__).parent
OURS = "counterfoil"
CAPTURE = "OTEL_INSTRUMENTATION_HTTP_CAPTURE_HEADERS_CLIENT_"
ENDS_WITHIN_S = 120.0


@dataclass(frozen=True)
class Left:
    """One run of the agent. ``ours`` are the exported bytes whose scope is ours, ``theirs`` all others."""

    folder: Path
    environment: dict[str, str]
    ours: bytes
    theirs: bytes
    names: frozenset[str]
    printed: bytes
    log: bytes

    def files(self) -> dict[str, bytes]:
        """Of the ledger, with what SQLite keeps beside it."""
        return {path.name: path.read_bytes() for path in self.folder.glob("ledger.db*")}

    def command(self, *words: str, code: int = 0) -> bytes:
        """What one of our commands says, given this environment and nothing else of ours."""
        unset: dict[str, str | None] = {name: None for name in os.environ if name.startswith("COUNTERFOIL_")}
        ours = {name: value for name, value in self.environment.items() if name.startswith("COUNTERFOIL_")}
        done = CliRunner().invoke(app, list(words), env=unset | ours)
        assert done.exit_code == code, done.stderr
        return done.stdout_bytes + done.stderr_bytes

    def path(self, name: str) -> str:
        return str(self.folder / name)

    @property
    def operations(self) -> list[str]:
        return list(json.loads(self.command("list", "--json"))["operations"])


def run(folder: Path, receiver: Sink, *how: str, hash_key: bool) -> Left:
    """Run the agent under ``opentelemetry-instrument`` with all that we can write switched on."""
    prefix = f"/{folder.name}"
    environment = {
        "PATH": f"{BIN}{os.pathsep}{os.defpath}",
        "HOME": str(folder),
        "PYTHONPATH": str(HERE),
        "OTEL_SERVICE_NAME": "shop",
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"{receiver.url}{prefix}",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        f"{CAPTURE}REQUEST": ".*",
        f"{CAPTURE}RESPONSE": ".*",
        "COUNTERFOIL_ENABLED": "true",
        "COUNTERFOIL_INSTRUMENT_PYDANTIC_AI": "true",
        "COUNTERFOIL_EMIT": "spans,metrics,events,facts",
        "COUNTERFOIL_LEDGER": f"sqlite:///{folder}/ledger.db",
        "COUNTERFOIL_CONFIG": str(HERE / "settings.toml"),
        "COUNTERFOIL_SETTLE_AFTER": "0",
        "COUNTERFOIL_DEADLINE": "0",
    } | ({"COUNTERFOIL_HASH_KEY": SECRETS["hash_key"]} if hash_key else {})
    done = subprocess.run(
        [BIN / "opentelemetry-instrument", sys.executable, HERE / "agent.py", *how],
        env=environment,
        cwd=folder,
        capture_output=True,
        timeout=ENDS_WITHIN_S,
        check=False,
    )
    assert done.returncode == (-9 if "killed" in how else 0), done.stderr.decode()
    ours, theirs, names = _exported(receiver, prefix)
    _keep_theirs(receiver, prefix, folder / "theirs.jsonl")
    log = (folder / "application.log").read_bytes()
    return Left(folder, environment, ours, theirs, names, done.stdout + done.stderr, log)


def _exported(receiver: Sink, prefix: str) -> tuple[bytes, bytes, frozenset[str]]:
    ours, theirs, names = [], [], set()
    for kind, groups, scopes, things, name in (
        (ExportTraceServiceRequest, "resource_spans", "scope_spans", "spans", "name"),
        (ExportMetricsServiceRequest, "resource_metrics", "scope_metrics", "metrics", "name"),
        (ExportLogsServiceRequest, "resource_logs", "scope_logs", "log_records", "event_name"),
    ):
        for _, request in receiver.requests(kind, f"{prefix}/"):
            for scope in (scope for group in getattr(request, groups) for scope in getattr(group, scopes)):
                is_ours = scope.scope.name.startswith(OURS)
                (ours if is_ours else theirs).append(scope.SerializeToString())
                if is_ours:
                    names |= {getattr(one, name) for one in getattr(scope, things)}
    return b"\n".join(ours), b"\n".join(theirs), frozenset(names)


def _keep_theirs(receiver: Sink, prefix: str, path: Path) -> None:
    """The host's spans as a file, secrets and all: what an audit is given."""
    requests = receiver.requests(ExportTraceServiceRequest, f"{prefix}/")
    path.write_text("".join(json.dumps(as_otlp_json(request)) + "\n" for _, request in requests), encoding="utf-8")


@pytest.fixture(scope="session")
def receiver() -> Iterator[Sink]:
    with sink() as running:
        yield running


@pytest.fixture(scope="session", params=["keyed", "plain", "plain-killed", "keyed-broken"])
def left(request: pytest.FixtureRequest, receiver: Sink, tmp_path_factory: pytest.TempPathFactory) -> Left:
    """With a hash key and without one, ended in order, killed, and while something of ours breaks."""
    key, _, how = request.param.partition("-")
    return run(tmp_path_factory.mktemp(request.param), receiver, *filter(None, [how]), hash_key=key == "keyed")
