"""An OTLP/HTTP server that keeps whatever it is sent."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
from opentelemetry.proto.trace.v1.trace_pb2 import Span

ARRIVES_WITHIN_S = 60.0

_REQUESTS: dict[str, Callable[[], Any]] = {
    "traces": ExportTraceServiceRequest,
    "metrics": ExportMetricsServiceRequest,
    "logs": ExportLogsServiceRequest,
}


class Sink:
    """What an OTLP/HTTP server was sent, in order of arrival. Paths may have a prefix: `/somewhere/v1/logs`."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self._requests: list[tuple[str, Any]] = []
        self._arrived = threading.Condition()

    def spans(self) -> list[Span]:
        """All spans so far."""
        return [
            each
            for _, request in self.requests(ExportTraceServiceRequest)
            for group in request.resource_spans
            for scope in group.scope_spans
            for each in scope.spans
        ]

    def records(self, prefix: str = "") -> list[LogRecord]:
        """All log records so far that were sent below a prefix."""
        return [
            each
            for _, request in self.requests(ExportLogsServiceRequest, prefix)
            for group in request.resource_logs
            for scope in group.scope_logs
            for each in scope.log_records
        ]

    def metrics(self) -> list[Metric]:
        """All metrics so far, one for each export."""
        return [
            each
            for _, request in self.requests(ExportMetricsServiceRequest)
            for group in request.resource_metrics
            for scope in group.scope_metrics
            for each in scope.metrics
        ]

    def text(self) -> str:
        """Everything so far in one string, to search for what must not be there."""
        with self._arrived:
            return "\n".join(str(request) for _, request in self._requests)

    def wait(self, condition: Callable[[], object], what: str) -> None:
        """Return once the condition holds; it is asked after each arrival. Fails after a minute."""
        with self._arrived:
            assert self._arrived.wait_for(condition, ARRIVES_WITHIN_S), f"never arrived: {what}"

    def take(self, path: str, request: Any) -> None:
        """Keep one request."""
        with self._arrived:
            self._requests.append((path, request))
            self._arrived.notify_all()

    def requests(self, kind: type[Any], prefix: str = "") -> list[tuple[str, Any]]:
        """All requests of a kind so far that were sent below a prefix, with their paths."""
        with self._arrived:
            return [
                (path, request)
                for path, request in self._requests
                if isinstance(request, kind) and path.startswith(prefix)
            ]


@contextmanager
def sink() -> Iterator[Sink]:
    """Run a Sink on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            request = _REQUESTS[self.path.rpartition("/")[2]]()
            request.ParseFromString(body)
            kept.take(self.path, request)
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Stay silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        kept = Sink(server.server_port)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield kept
        finally:
            server.shutdown()
