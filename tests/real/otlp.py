"""OTLP by hand: spans and log records made from plain values, sent, and read back as plain values."""

from __future__ import annotations

import time
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

Attributes = Mapping[str, Any]
OK, ERROR, UNSET = Status.STATUS_CODE_OK, Status.STATUS_CODE_ERROR, Status.STATUS_CODE_UNSET


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


def _post(url: str, request: ExportTraceServiceRequest | ExportLogsServiceRequest) -> None:
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
