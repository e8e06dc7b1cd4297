"""Spans of an OTLP request, copied into what the span reader looks at. The request itself is let go."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping

from opentelemetry.trace import SpanKind, Status, StatusCode

from counterfoil.reading import langsmith
from counterfoil.reading.evidence import Record, Unusable
from counterfoil.reading.otlp import Object, attributes_of, integer, objects
from counterfoil.reading.views import UNSET, Happened, Named, SpanIds, SpanSeen
from counterfoil.reading.views import Source as Process

_CONTENT = (
    "gen_ai.input.messages gen_ai.output.messages gen_ai.system_instructions gen_ai.tool.definitions gen_ai.prompt "
    "gen_ai.completion pydantic_ai.all_messages all_messages_events events model_request_parameters "
    "logfire.json_schema db.statement db.query.text http.request.body http.response.body"
)
CONTENT = frozenset(_CONTENT.split())
"""Attributes that no reader looks at and that are most of a trace's bytes. They are let go at once."""

LANGSMITHS = CONTENT.difference((langsmith.ARGUMENTS, langsmith.RESULT))
"""The same for spans of LangSmith's, which have a call's arguments and its result in two of those."""

_KINDS: Mapping[object, SpanKind] = {
    spelled: kind
    for kind in SpanKind
    for spelled in (kind.value + 1, f"SPAN_KIND_{kind.name}")  # 0 is unspecified in OTLP
}
_STATUSES: Mapping[object, Status] = {
    spelled: Status(code) for code in StatusCode for spelled in (code.value, f"STATUS_CODE_{code.name}")
}


def spans_in(record: Record) -> Iterator[SpanSeen | Unusable]:
    """Every span of a request in the order of the file, or what was wrong with it."""
    for resource in objects(record, "resourceSpans"):
        process = Process(attributes_of(_object(resource, "resource")))
        for group in objects(resource, "scopeSpans"):
            name = _object(group, "scope").get("name")
            scope = Named(name if isinstance(name, str) else "")
            but = LANGSMITHS if scope.name == langsmith.SCOPE else CONTENT
            for span in objects(group, "spans"):
                try:
                    yield _span(span, process, scope, but)
                except Unusable as wrong:
                    yield wrong


def _span(span: Object, process: Process, scope: Named, but: frozenset[str]) -> SpanSeen:
    trace_id, span_id = _id(span.get("traceId"), 16), _id(span.get("spanId"), 8)
    parent_id = _id(span.get("parentSpanId") or "", 8)
    if not trace_id or not span_id:
        raise Unusable("OTLP: a span without ids")
    name = span.get("name")
    return SpanSeen(
        context=SpanIds(trace_id, span_id),
        parent=SpanIds(trace_id, parent_id) if parent_id else None,
        name=name if isinstance(name, str) else "",
        kind=_KINDS.get(_hashable(span.get("kind")), SpanKind.INTERNAL),
        attributes=attributes_of(span, but=but),
        start_time=_time(span, "startTimeUnixNano"),
        end_time=_time(span, "endTimeUnixNano"),
        status=_STATUSES.get(_hashable(_object(span, "status").get("code")), UNSET),
        events=tuple(Happened(str(event.get("name")), attributes_of(event)) for event in objects(span, "events")),
        instrumentation_scope=scope,
        resource=process,
    )


def _id(value: object, size: int) -> int:
    """An id of so many bytes, in hex or in base64, as a number; 0 for none. Raises `Unusable`."""
    if not isinstance(value, str):
        raise Unusable("OTLP: an id that is no text")
    try:
        content = bytes.fromhex(value) if len(value) in (0, 2 * size) else base64.b64decode(value, validate=True)
    except (ValueError, binascii.Error):
        content = b"?"
    if len(content) not in (0, size):
        raise Unusable("OTLP: an id that can't be read")
    return int.from_bytes(content)


def _time(span: Object, name: str) -> int | None:
    """Nanoseconds since 1970; None for 0, which means that it is not known."""
    at = integer(span.get(name) or 0)
    if not 0 <= at < 2**64:
        raise Unusable("OTLP: a time out of range")
    return at or None


def _object(parent: Object, name: str) -> Object:
    found = parent.get(name)
    return found if isinstance(found, dict) else {}


def _hashable(value: object) -> object:
    return value if isinstance(value, int | str) else None
