"""A judge in this process, behind real sockets: for what is asked often and of one judge only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from counterfoil.config import Config
from counterfoil.ledger import Ledger, open_ledger
from counterfoil.serving.outgoing import Outgoing
from counterfoil.serving.worker import RESOURCE, Worker


class Within:
    """One judge with both doors, on a ledger in memory if not on another."""

    def __init__(self, ledger: Ledger | None = None, **how: Any) -> None:
        self.ledger = ledger or open_ledger("memory:")
        self.reader = InMemoryMetricReader()
        self.worker = Worker(
            Config(settle_after_s=0.1),
            self.ledger,
            Outgoing(RESOURCE, InMemorySpanExporter(), InMemoryLogRecordExporter()),
            self.reader,
            grpc="127.0.0.1:0",
            **how,
        )
        self.worker.start()
        assert self.worker.http is not None
        assert self.worker.grpc is not None
        self.url = f"http://127.0.0.1:{self.worker.http.port}"
        self.grpc = self.worker.grpc.port

    def value(self, name: str, **attributes: str) -> int:
        """The sum of a counter's points that have these attributes."""
        data = self.reader.get_metrics_data()
        points = [
            point
            for resource in (data.resource_metrics if data else ())
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == name
            for point in metric.data.data_points
        ]
        wanted = {key.replace("_", "."): value for key, value in attributes.items()}
        return sum(point.value for point in points if wanted.items() <= dict(point.attributes).items())  # type: ignore[union-attr]


@pytest.fixture
def start() -> Iterator[Callable[..., Within]]:
    """Start judges; they end with the test."""
    started: list[Within] = []

    def begin(ledger: Ledger | None = None, **how: Any) -> Within:
        started.append(Within(ledger, **how))
        return started[-1]

    yield begin
    for one in started:
        one.worker.stop()


@pytest.fixture(scope="module")
def within() -> Iterator[Within]:
    """One judge for all tests of a file."""
    running = Within()
    yield running
    running.worker.stop()
