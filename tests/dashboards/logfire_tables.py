"""OTLP JSON lines as the two tables that Logfire has: `records` for spans and logs, `metrics` for numbers.

The columns are those of Logfire's SQL reference, as far as the project's queries could want them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

TIME = pa.timestamp("us", tz="UTC")
STATUS = {1: "OK", 2: "ERROR"}
LEVEL, LINE = "logfire.level_num", "logfire.msg"

RECORDS = pa.schema(
    {
        "start_timestamp": TIME,
        "end_timestamp": TIME,
        "duration": pa.float64(),
        "kind": pa.string(),
        "span_name": pa.string(),
        "message": pa.string(),
        "level": pa.int64(),
        "trace_id": pa.string(),
        "span_id": pa.string(),
        "parent_span_id": pa.string(),
        "attributes": pa.string(),
        "otel_scope_name": pa.string(),
        "otel_status_code": pa.string(),
        "otel_status_message": pa.string(),
        "otel_links": pa.string(),
        "service_name": pa.string(),
        "deployment_environment": pa.string(),
    }
)

METRICS = pa.schema(
    {
        "recorded_timestamp": TIME,
        "metric_name": pa.string(),
        "metric_type": pa.string(),
        "unit": pa.string(),
        "scalar_value": pa.float64(),
        "value": pa.float64(),
        "attributes": pa.string(),
        "service_name": pa.string(),
    }
)
"""In Logfire `value` also holds histograms, and the `metric_…` functions take it; here it is the number alone."""


def records(lines: Iterable[str]) -> pa.Table:
    """Every span and log record."""
    return pa.Table.from_pylist([row for line in lines for row in _records(json.loads(line))], schema=RECORDS)


def metrics(lines: Iterable[str]) -> pa.Table:
    """Every number; histograms are left out."""
    return pa.Table.from_pylist([row for line in lines for row in _metrics(json.loads(line))], schema=METRICS)


def _records(request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for group, scopes, items in (("resourceSpans", "scopeSpans", "spans"), ("resourceLogs", "scopeLogs", "logRecords")):
        for resource in request.get(group, ()):
            of_resource = _attributes(resource.get("resource", {}))
            for scoped in resource[scopes]:
                for item in scoped[items]:
                    row = _span(item) if items == "spans" else _log(item)
                    row["otel_scope_name"] = scoped.get("scope", {}).get("name", "")
                    row["service_name"] = of_resource.get("service.name")
                    row["deployment_environment"] = of_resource.get("deployment.environment.name")
                    yield row


def _span(span: Mapping[str, Any]) -> dict[str, Any]:
    attributes = _attributes(span)
    status = span.get("status", {})
    begin, end = int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])
    failed = status.get("code") == 2
    return {
        "start_timestamp": _time(begin),
        "end_timestamp": _time(end),
        "duration": (end - begin) / 1e9,
        "kind": "span",
        "span_name": span["name"],
        "message": attributes.pop(LINE, span["name"]),
        "level": attributes.pop(LEVEL, 17 if failed else 9),
        "trace_id": span["traceId"],
        "span_id": span["spanId"],
        "parent_span_id": span.get("parentSpanId"),
        "attributes": json.dumps(attributes),
        "otel_status_code": STATUS.get(status.get("code", 0)),
        "otel_status_message": status.get("message"),
        "otel_links": json.dumps([{**link, "attributes": _attributes(link)} for link in span.get("links", ())]),
    }


def _log(record: Mapping[str, Any]) -> dict[str, Any]:
    attributes = _attributes(record)
    at = _time(int(record.get("timeUnixNano") or record.get("observedTimeUnixNano", 0)))
    name = record.get("eventName", "log")
    return {
        "start_timestamp": at,
        "end_timestamp": at,
        "duration": None,
        "kind": "log",
        "span_name": name,
        "message": attributes.pop(LINE, name),
        "level": attributes.pop(LEVEL, record.get("severityNumber", 9)),
        "trace_id": record.get("traceId"),
        "span_id": record.get("spanId"),
        "attributes": json.dumps(attributes),
    }


def _metrics(request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for resource in request.get("resourceMetrics", ()):
        service = _attributes(resource.get("resource", {})).get("service.name")
        for metric in (metric for scoped in resource["scopeMetrics"] for metric in scoped["metrics"]):
            for kind in ("sum", "gauge"):
                for point in metric.get(kind, {}).get("dataPoints", ()):
                    value = float(point.get("asDouble", point.get("asInt", 0)))
                    yield {
                        "recorded_timestamp": _time(int(point["timeUnixNano"])),
                        "metric_name": metric["name"],
                        "metric_type": kind,
                        "unit": metric.get("unit"),
                        "scalar_value": value,
                        "value": value,
                        "attributes": json.dumps(_attributes(point)),
                        "service_name": service,
                    }


def _attributes(holder: Mapping[str, Any]) -> dict[str, Any]:
    return {each["key"]: _plain(each.get("value", {})) for each in holder.get("attributes", ())}


def _plain(value: Mapping[str, Any]) -> Any:
    match value:
        case {"intValue": number}:
            return int(number)
        case {"arrayValue": items}:
            return [_plain(item) for item in items.get("values", ())]
        case _:
            return next(iter(value.values()), None)


def _time(nanoseconds: int) -> datetime:
    return datetime.fromtimestamp(nanoseconds / 1e9, UTC)
