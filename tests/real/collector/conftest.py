"""Collectors that run the committed configurations, and a server that shows what comes out of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.real.otlp import send_records, send_spans
from tests.real.programs import require
from tests.real.sink import Sink, sink
from tools.collector.build import PROGRAM
from tools.observe import servers
from tools.observe.service import Service
from tools.observe.stack import PROJECT

CONFIGS = PROJECT / "collector-config"


@pytest.fixture(scope="session")
def otelcol() -> Path:
    """The collector's binary."""
    return require("collector")[PROGRAM]


@contextmanager
def gateway(folder: Path) -> Iterator[tuple[Service, Sink]]:
    """A gateway in front of one backend for everything. Of the traces that no policy asks for it keeps none."""
    with sink() as backend:
        environment = {
            "COLLECTOR_TRACES_TO": backend.url,
            "COLLECTOR_METRICS_TO": backend.url,
            "COLLECTOR_LOGS_TO": backend.url,
            "COLLECTOR_DECISION_WAIT": "1s",
            "COLLECTOR_FLUSH_INTERVAL": "1s",
            "COLLECTOR_KEEP_PERCENT": "0",
        }
        with servers.collector("gateway", folder, [CONFIGS / "gateway.yaml"], environment) as collector:
            yield collector, backend


Through = Callable[..., Sink]


@pytest.fixture(scope="session")
def through_gateway(otelcol: Path, tmp_path_factory: pytest.TempPathFactory) -> Through:
    """Send spans and records through a gateway and stop it, which decides and delivers all that it still holds."""

    def run(spans: Sequence[Span] = (), records: Sequence[LogRecord] = ()) -> Sink:
        with gateway(tmp_path_factory.mktemp("gateway")) as (collector, backend):
            send_spans(collector.url("http"), spans)
            send_records(collector.url("http"), records)
            collector.stop()
            return backend

    return run
