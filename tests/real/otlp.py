"""OTLP by hand: requests built from plain values, and an HTTP server that keeps whatever it is sent."""

from __future__ import annotations

import gzip
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from google.protobuf.message import Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

Attributes = Mapping[str, Any]
OK, ERROR, UNSET = Status.STATUS_CODE_OK, Status.STATUS_CODE_ERROR, Status.STATUS_CODE_UNSET
ARRIVES_WITHIN_S = 60.0

_REQUESTS: dict[str, type[Message]] = {
    "traces": ExportTraceServiceRequest,
    "metrics": ExportMetricsServiceRequest,
    "logs": ExportLogsServiceRequest,
}


def span(
    name: str,
    trace: int,
    attributes: Attributes | None = None,
    *,
    number: int = 1,
    parent: int = 0,
    status: Any = UNSET,
    message: str = "",
    events: Mapping[str, Attributes] | None = None,
) -> Span:
    """One span of a second, `number` in its trace; `events` by name."""
    began = time.time_ns() - 2_000_000_000
    made = Span(
        name=name,
        trace_id=trace.to_bytes(16, "big"),
        span_id=number.to_bytes(8, "big"),
        parent_span_id=parent.to_bytes(8, "big") if parent else b"",
        start_time_unix_nano=began,
        end_time_unix_nano=began + 1_000_000_000,
        status=Status(code=status, message=message),
        attributes=_key_values(attributes or {}),
    )
    for event, said in (events or {}).items():
        made.events.add(name=event, time_unix_nano=began, attributes=_key_values(said))
    return made


def record(event_name: str, attributes: Attributes | None = None, body: Any = None) -> LogRecord:
    """One log record, an event when it has a name."""
    made = LogRecord(event_name=event_name, time_unix_nano=time.time_ns(), attributes=_key_values(attributes or {}))
    if body is not None:
        made.body.CopyFrom(_value(body))
    return made


def send_spans(endpoint: str, spans: Sequence[Span], service: str = "agent") -> None:
    """Export spans of one resource and scope by OTLP/HTTP."""
    request = ExportTraceServiceRequest()
    group = request.resource_spans.add()
    group.resource.attributes.extend(_key_values({"service.name": service}))
    group.scope_spans.add().spans.extend(spans)
    _post(f"{endpoint}/v1/traces", request)


def send_records(endpoint: str, records: Sequence[LogRecord], service: str = "agent") -> None:
    """Export log records of one resource and scope by OTLP/HTTP."""
    request = ExportLogsServiceRequest()
    group = request.resource_logs.add()
    group.resource.attributes.extend(_key_values({"service.name": service}))
    group.scope_logs.add().log_records.extend(records)
    _post(f"{endpoint}/v1/logs", request)


def attributes(holder: Any) -> dict[str, Any]:
    """The attributes of a span, an event, a log record or a data point as plain values."""
    return {each.key: _plain(each.value) for each in holder.attributes}


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
            for _, request in self._of(ExportTraceServiceRequest)
            for group in request.resource_spans
            for scope in group.scope_spans
            for each in scope.spans
        ]

    def records(self, prefix: str = "") -> list[LogRecord]:
        """All log records so far that were sent below a prefix."""
        return [
            each
            for path, request in self._of(ExportLogsServiceRequest)
            for group in request.resource_logs
            for scope in group.scope_logs
            for each in scope.log_records
            if path.startswith(prefix)
        ]

    def metrics(self) -> list[Metric]:
        """All metrics so far, one for each export."""
        return [
            each
            for _, request in self._of(ExportMetricsServiceRequest)
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

    def take(self, path: str, request: Message) -> None:
        """Keep one request."""
        with self._arrived:
            self._requests.append((path, request))
            self._arrived.notify_all()

    def _of(self, kind: type[Message]) -> list[tuple[str, Any]]:
        with self._arrived:
            return [(path, request) for path, request in self._requests if isinstance(request, kind)]


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


def _post(url: str, request: Message) -> None:
    headers = {"Content-Type": "application/x-protobuf"}
    call = urllib.request.Request(url, request.SerializeToString(), headers, method="POST")
    with urllib.request.urlopen(call, timeout=30) as answer:
        assert answer.status == 200, answer.read()


def _key_values(values: Attributes) -> list[KeyValue]:
    return [KeyValue(key=key, value=_value(value)) for key, value in values.items()]


def _value(value: Any) -> AnyValue:
    made = AnyValue()
    match value:
        case bool():
            made.bool_value = value
        case int():
            made.int_value = value
        case str():
            made.string_value = value
        case Mapping():
            made.kvlist_value.values.extend(_key_values(value))
        case _:
            made.array_value.values.extend(map(_value, value))
    return made


def _plain(value: AnyValue) -> Any:
    match value.WhichOneof("value"):
        case "kvlist_value":
            return {each.key: _plain(each.value) for each in value.kvlist_value.values}
        case "array_value":
            return [_plain(each) for each in value.array_value.values]
        case None:
            return None
        case kind:
            return getattr(value, kind)
