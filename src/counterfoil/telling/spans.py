"""The verdict span: a span of its own, since nothing can be written on one that has ended, linked to its witnesses.

It is made by a provider of our own, so that no sampler drops it and no processor of ours reads it again, and handed to
the processors of the pipeline that it belongs to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import metadata
from typing import Any

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
    """Hands our spans to the processors that stand beside ours, as they are at that moment."""

    def __init__(self, beside: Any) -> None:
        self._beside = beside

    def on_start(self, span: SdkSpan, parent_context: Context | None = None) -> None:
        for processor in self._beside():
            processor.on_start(span, parent_context)

    def on_end(self, span: ReadableSpan) -> None:
        for processor in self._beside():
            processor.on_end(span)


def say_span(provider: Private, telling: Telling, words: Words) -> SpanContext:
    """Make the verdict span and end it. Answers where it is, for the metrics' exemplars and the event."""
    tool = telling.judgement.operation.tool
    span = provider.tracer.start_span(
        str(clean(f"verdict {tool}" if tool else "verdict")),
        context=below_last_attempt(telling),
        kind=SpanKind.INTERNAL,
        attributes=words,
        links=_links(telling.judgement.witnesses),
        start_time=telling.since,
    )
    if telling.said.severity is Severity.PAGE:
        span.set_status(Status(StatusCode.ERROR, telling.judgement.verdict.value))
    span.end(end_time=max(telling.since, *(fact.observed_at for fact in telling.judgement.operation.facts)))
    return span.get_span_context()


@cache
def version() -> str:
    """The version of this package, as it is installed; 0 in a source tree that is not."""
    try:
        return metadata.version("counterfoil")
    except metadata.PackageNotFoundError:
        return "0"


def span_of(fact: Fact) -> SpanContext | None:
    """The span that a fact came from, if it did come from one."""
    try:
        trace_id, span_id = int(fact.trace_id or "", 16), int(fact.span_id or "", 16)
    except ValueError:
        return None
    there = SpanContext(trace_id, span_id, is_remote=True, trace_flags=_SAMPLED)
    return there if there.is_valid else None


def below_last_attempt(telling: Telling) -> Context:
    """The context of the last attempt, else of the last intent; a root span where no trace is known."""
    operation = telling.judgement.operation
    views = [view for dispatch in reversed(operation.dispatches) for view in dispatch.views]
    candidates: Sequence[Fact] = (*views, *reversed(operation.intents), *reversed(operation.looks))
    for fact in candidates:
        there = span_of(fact)
        if there is not None:
            return set_span_in_context(NonRecordingSpan(there), Context())
    return Context()


def _links(witnesses: Iterable[Fact]) -> list[Link]:
    """A link to the span of every witness; two facts of one span in one role are one link."""
    links: dict[tuple[str | None, str | None, str], Link] = {}
    for fact in witnesses:
        name = fact.trace_id, fact.span_id, role_of(fact)
        if name not in links and len(links) < MAX_LINKS and (there := span_of(fact)) is not None:
            links[name] = Link(there, {names.ROLE: name[2]})
    return list(links.values())
