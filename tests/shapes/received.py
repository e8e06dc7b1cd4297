"""What one application sent to the receiver: its own spans, and what was said about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.real.otlp import attributes
from tests.real.sink import Sink

Attributes = dict[str, Any]


@dataclass(frozen=True)
class Received:
    """All that came in below one path. Every question is asked anew, so it can be waited on."""

    sink: Sink
    prefix: str

    @property
    def endpoint(self) -> str:
        """For ``OTEL_EXPORTER_OTLP_ENDPOINT``."""
        return f"{self.sink.url}{self.prefix}"

    def spans(self, scope: str | None = None) -> list[Any]:
        """The spans of one instrumentation scope, or of all."""
        return [
            span
            for _, request in self.sink.requests(ExportTraceServiceRequest, f"{self.prefix}/")
            for group in request.resource_spans
            for scoped in group.scope_spans
            if scope in (None, scoped.scope.name)
            for span in scoped.spans
        ]

    def operations(self) -> Counter[str]:
        """How often each operation's own tool span arrived."""
        seen = [attributes(span) for span in self.spans() if span.name.startswith("execute_tool ")]
        return Counter(each["counterfoil.operation.id"] for each in seen)

    def verdicts(self) -> dict[str, list[Attributes]]:
        """What the verdict spans say, by operation."""
        return _by_operation(attributes(span) for span in self.spans("counterfoil"))

    def events(self) -> dict[str, list[Attributes]]:
        """What the log events say, by operation."""
        records = self.sink.records(f"{self.prefix}/")
        return _by_operation(attributes(each) for each in records if each.event_name == "counterfoil.verdict")

    def total(self, metric: str) -> int:
        """The sum of a counter over all processes and attributes. A series that begins anew counts beside the old one,
        whichever temporality it has."""
        latest = {
            (resource, tuple(sorted(attributes(point).items())), point.start_time_unix_nano): point.as_int
            for resource, point in self._points(metric)
        }
        return sum(latest.values())

    def _points(self, metric: str) -> Iterator[tuple[str, Any]]:
        for _, request in self.sink.requests(ExportMetricsServiceRequest, f"{self.prefix}/"):
            for group in request.resource_metrics:
                resource = str(sorted(attributes(group.resource).items()))
                for one in (each for scoped in group.scope_metrics for each in scoped.metrics if each.name == metric):
                    yield from ((resource, point) for point in one.sum.data_points)


def _by_operation(said: Iterator[Attributes]) -> dict[str, list[Attributes]]:
    found: dict[str, list[Attributes]] = {}
    for each in said:
        found.setdefault(each["counterfoil.operation.id"], []).append(each)
    return found
