"""What a reader sees of a span: the SDK's read-only span has this shape, and so has a row of an OTLP file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from opentelemetry.trace import SpanKind, Status

Attributes = Mapping[str, object]


class Ids(Protocol):
    """Which span: the SDK's ``SpanContext`` will do."""

    @property
    def trace_id(self) -> int: ...
    @property
    def span_id(self) -> int: ...
    @property
    def is_remote(self) -> bool: ...


class EventView(Protocol):
    """Something that happened during a span."""

    @property
    def name(self) -> str: ...
    @property
    def attributes(self) -> Attributes | None: ...


class ScopeView(Protocol):
    """The instrumentation that made a span."""

    @property
    def name(self) -> str: ...


class ResourceView(Protocol):
    """The process that a span is from."""

    @property
    def attributes(self) -> Attributes: ...


class SpanView(Protocol):
    """One span, started or ended. Times are nanoseconds since 1970; ``end_time`` is None while it is open."""

    @property
    def name(self) -> str: ...
    @property
    def context(self) -> Ids | None: ...
    @property
    def parent(self) -> Ids | None: ...
    @property
    def kind(self) -> SpanKind: ...
    @property
    def attributes(self) -> Attributes | None: ...
    @property
    def start_time(self) -> int | None: ...
    @property
    def end_time(self) -> int | None: ...
    @property
    def status(self) -> Status: ...
    @property
    def events(self) -> Sequence[EventView]: ...
    @property
    def instrumentation_scope(self) -> ScopeView | None: ...
    @property
    def resource(self) -> ResourceView: ...


class SpanIds(NamedTuple):
    """The ids of a span that is not in this process."""

    trace_id: int
    span_id: int
    is_remote: bool = False


class Happened(NamedTuple):
    """An event, copied."""

    name: str
    attributes: Attributes | None = None


class Named(NamedTuple):
    """A scope, copied."""

    name: str


class Source(NamedTuple):
    """A resource, copied."""

    attributes: Attributes


UNSET = Status()


@dataclass(slots=True)
class SpanSeen:
    """The part of a span that is worth keeping for a moment, or a span that comes from a file."""

    context: Ids | None
    parent: Ids | None = None
    name: str = ""
    kind: SpanKind = SpanKind.INTERNAL
    attributes: Attributes | None = None
    start_time: int | None = None
    end_time: int | None = None
    status: Status = UNSET
    events: Sequence[EventView] = ()
    instrumentation_scope: ScopeView | None = None
    resource: ResourceView = field(default=Source({}))


def hex_ids(ids: Ids) -> tuple[str, str]:
    """The trace's and the span's id as they are written: 32 and 16 hex digits."""
    return f"{ids.trace_id:032x}", f"{ids.span_id:016x}"
