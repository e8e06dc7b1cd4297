"""OTLP requests as JSON lines, as the collector's `file` exporter writes them; and read back as plain spans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


def framed(body: bytes) -> bytes:
    """One request as it is kept until the run is over: its length, and then itself."""
    return len(body).to_bytes(4, "big") + body


def unframed(path: Path) -> Iterator[ExportTraceServiceRequest]:
    """The requests of a file, in order of arrival."""
    content = path.read_bytes()
    at = 0
    while at < len(content):
        size = int.from_bytes(content[at : at + 4], "big")
        yield ExportTraceServiceRequest.FromString(content[at + 4 : at + 4 + size])
        at += 4 + size


class Line(NamedTuple):
    """One span as a line, and what it is parted by. ``ended`` in nanoseconds."""

    span_id: bytes
    ended: int
    content: bytes


def lines(request: ExportTraceServiceRequest) -> Iterator[Line]:
    """Each span as a line of its own, so that lines can be reordered, parted and lost."""
    for resource in request.resource_spans:
        about = {"attributes": _attributes(resource.resource.attributes)}
        for scope in resource.scope_spans:
            named = {"name": scope.scope.name}
            for span in scope.spans:
                group = {"resource": about, "scopeSpans": [{"scope": named, "spans": [_span(span)]}]}
                content = orjson.dumps({"resourceSpans": [group]})
                yield Line(span.span_id, span.end_time_unix_nano, content)


def _span(span: Any) -> dict[str, Any]:
    made = {
        "traceId": span.trace_id.hex(),
        "spanId": span.span_id.hex(),
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": str(span.start_time_unix_nano),
        "endTimeUnixNano": str(span.end_time_unix_nano),
        "attributes": _attributes(span.attributes),
        "status": {"code": span.status.code, "message": span.status.message},
    }
    if span.parent_span_id:
        made["parentSpanId"] = span.parent_span_id.hex()
    if span.flags:
        made["flags"] = span.flags
    if span.events:
        made["events"] = [
            {"name": e.name, "timeUnixNano": str(e.time_unix_nano), "attributes": _attributes(e.attributes)}
            for e in span.events
        ]
    if span.links:
        made["links"] = [
            {"traceId": e.trace_id.hex(), "spanId": e.span_id.hex(), "attributes": _attributes(e.attributes)}
            for e in span.links
        ]
    return made


def _attributes(pairs: Iterable[Any]) -> list[dict[str, Any]]:
    return [{"key": pair.key, "value": _value(pair.value)} for pair in pairs]


def _value(value: Any) -> dict[str, Any]:
    match value.WhichOneof("value"):
        case "string_value":
            return {"stringValue": value.string_value}
        case "bool_value":
            return {"boolValue": value.bool_value}
        case "int_value":
            return {"intValue": str(value.int_value)}
        case "double_value":
            return {"doubleValue": value.double_value}
        case "array_value":
            return {"arrayValue": {"values": [_value(one) for one in value.array_value.values]}}
        case "kvlist_value":
            return {"kvlistValue": {"values": _attributes(value.kvlist_value.values)}}
    return {}


@dataclass(frozen=True, slots=True)
class Span:
    """A recorded span as plain values."""

    trace: str
    span: str
    parent: str | None
    scope: str
    name: str
    process: str | None
    started: int
    ended: int
    failed: bool
    attributes: dict[str, Any]


def spans(path: Path) -> Iterator[Span]:
    """The spans of a file of such lines."""
    with path.open("rb") as file:
        for line in file:
            for group in orjson.loads(line)["resourceSpans"]:
                process = _plain(group["resource"]["attributes"]).get("service.instance.id")
                for scope in group["scopeSpans"]:
                    for one in scope["spans"]:
                        yield Span(
                            one["traceId"],
                            one["spanId"],
                            one.get("parentSpanId"),
                            scope["scope"]["name"],
                            one["name"],
                            process,
                            int(one["startTimeUnixNano"]),
                            int(one["endTimeUnixNano"]),
                            one["status"]["code"] == 2,
                            _plain(one["attributes"]),
                        )


def _plain(pairs: Iterable[dict[str, Any]]) -> dict[str, Any]:
    return {pair["key"]: _one(pair["value"]) for pair in pairs}


def _one(value: dict[str, Any]) -> Any:
    for kind, said in value.items():
        if kind == "intValue":
            return int(said)
        if kind == "arrayValue":
            return [_one(each) for each in said["values"]]
        if kind == "kvlistValue":
            return _plain(said["values"])
        return said
    return None
