"""The verdict span: a span of its own, since nothing can be written on one that has ended, linked to its witnesses.

It is made by a provider of our own, so that no sampler drops it and no processor of ours reads it again, and handed to
the processors of the pipeline that it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import metadata
from itertools import islice
from typing import Any, NamedTuple

from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanLimits, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace import Span as SdkSpan
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    format_span_id,
    format_trace_id,
    set_span_in_context,
)

from counterfoil import names
from counterfoil.book.telling import Telling
from counterfoil.explain import role_of
from counterfoil.facts import Fact
from counterfoil.telling.words import Words, clean
from counterfoil.verdicts import Severity

MAX_LINKS = 64
"""So many witnesses are linked, the earliest first; the SDK would drop the oldest beyond 128."""

_SAMPLED = TraceFlags(TraceFlags.SAMPLED)


_WHOLE = SpanLimits(
    max_span_attributes=SpanLimits.UNSET,
    max_span_attribute_length=SpanLimits.UNSET,
    max_attribute_length=SpanLimits.UNSET,
    max_links=MAX_LINKS,
)
"""Whatever limits the application has for its spans, ours are bounded already and are said whole."""


class Private(TracerProvider):
    """A provider for what we say ourselves. Nobody attaches to it, and it doesn't outlive the one that it serves."""

    _counterfoil_private = True

    def __init__(self, resource: Resource, onward: SpanProcessor, id_generator: IdGenerator | None = None) -> None:
        super().__init__(
            sampler=ALWAYS_ON,
            resource=resource,
            shutdown_on_exit=False,
            id_generator=id_generator,
            span_limits=_WHOLE,
        )
        self.add_span_processor(onward)
        self.tracer = self.get_tracer(names.SCOPE, version())


class Onward(SpanProcessor):
    """Hands our spans to the processors that stand beside ours, as they are at that moment. One that raises keeps no
    other from having them, and is told to ``on_error``."""

    def __init__(self, beside: Any, on_error: Callable[[SpanProcessor, Exception], None]) -> None:
        self._beside = beside
        self._on_error = on_error

    def on_start(self, span: SdkSpan, parent_context: Context | None = None) -> None:
        for processor in self._beside():
            try:
                processor.on_start(span, parent_context)
            except Exception as error:
                self._on_error(processor, error)

    def on_end(self, span: ReadableSpan) -> None:
        for processor in self._beside():
            try:
                processor.on_end(span)
            except Exception as error:
                self._on_error(processor, error)


Place = tuple[str, str]
"""The ids of a trace and of a span in it, in hex digits."""


class Outline(NamedTuple):
    """A verdict span without its words, as JSON can say it: it may be judged in one process and said by another.

    ``below``: where it hangs; a root without. ``links``: the spans of witnesses, each with the role that it has there.
    ``since``, ``until``: nanoseconds since 1970.
    """

    title: str
    below: Place | None
    links: Sequence[tuple[str, str, str]]
    since: int
    until: int

    @property
    def context(self) -> Context:
        return _context(self.below)


def outline_of(telling: Telling) -> Outline:
    tool, facts = telling.judgement.operation.tool, telling.judgement.operation.facts
    return Outline(
        title=str(clean(f"verdict {tool}" if tool else "verdict")),
        below=_last_attempt(telling),
        links=_links(telling.judgement.witnesses),
        since=telling.since,
        until=max(telling.since, *(fact.observed_at for fact in facts)),
    )


def say_span(provider: Private, outline: Outline, words: Words) -> SpanContext:
    """Make the verdict span and end it. Answers where it is, for the metrics' exemplars and the event."""
    span = provider.tracer.start_span(
        outline.title,
        context=outline.context,
        kind=SpanKind.INTERNAL,
        attributes=words,
        links=[Link(_at(trace_id, span_id), {names.ROLE: role}) for trace_id, span_id, role in outline.links],
        start_time=outline.since,
    )
    if words[names.SEVERITY] == Severity.PAGE.value:
        span.set_status(Status(StatusCode.ERROR, str(words[names.VERDICT])))
    span.end(end_time=outline.until)
    return span.get_span_context()


@cache
def version() -> str:
    """The version of this package, as it is installed; 0 in a source tree that is not."""
    try:
        return metadata.version("counterfoil")
    except metadata.PackageNotFoundError:
        return "0"


def below_last_attempt(telling: Telling) -> Context:
    """The context of the last attempt, else of the last intent; a root span where no trace is known."""
    return _context(_last_attempt(telling))


def _context(below: Place | None) -> Context:
    return Context() if below is None else set_span_in_context(NonRecordingSpan(_at(*below)), Context())


def _last_attempt(telling: Telling) -> Place | None:
    operation = telling.judgement.operation
    views = [view for dispatch in reversed(operation.dispatches) for view in dispatch.views]
    candidates: Sequence[Fact] = (*views, *reversed(operation.intents), *reversed(operation.looks))
    return next((place for fact in candidates if (place := _place(fact)) is not None), None)


def _links(witnesses: Iterable[Fact]) -> list[tuple[str, str, str]]:
    """The span of every witness; two facts of one span in one role are one link."""
    found = ((place, role_of(fact)) for fact in witnesses if (place := _place(fact)) is not None)
    return list(islice(dict.fromkeys((*place, role) for place, role in found), MAX_LINKS))


def _place(fact: Fact) -> Place | None:
    """The span that a fact came from, if it did come from one."""
    try:
        there = _at(fact.trace_id or "", fact.span_id or "")
    except ValueError:
        return None
    return (format_trace_id(there.trace_id), format_span_id(there.span_id)) if there.is_valid else None


def _at(trace_id: str, span_id: str) -> SpanContext:
    return SpanContext(int(trace_id, 16), int(span_id, 16), is_remote=True, trace_flags=_SAMPLED)
