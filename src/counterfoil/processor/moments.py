"""What is taken down of a span on the application's thread, and of which spans.

Most spans of an application are nobody's evidence and must cost it next to nothing: a few look-ups, no copy. Of the
others scalars are copied and the span is let go; keeping it alive would cost more than everything else here. Where the
SDK keeps its fields in another way than it did, the public way is taken, which is slower.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opentelemetry import baggage
from opentelemetry.baggage import get_all
from opentelemetry.context import Context, get_current
from opentelemetry.trace import SpanKind, get_current_span

from counterfoil import names
from counterfoil.reading import genai, http
from counterfoil.reading.views import UNSET, Attributes, SpanSeen

NOTHING: Mapping[str, Any] = {}
KEY_SCOPE, OPERATION, OPERATION_ID, VERDICT = names.KEY_SCOPE, genai.OPERATION, names.OPERATION_ID, names.VERDICT
EFFECT_REF, EFFECT_COUNT = names.EFFECT_REF, names.EFFECT_COUNT
METHOD, OLD_METHOD = http.METHOD
INTERNAL, CLIENT = SpanKind.INTERNAL, SpanKind.CLIENT
_KEY: str | None = getattr(baggage, "_BAGGAGE_KEY", None)
_FOLLOWED = (genai.EXECUTE, *sorted(genai.RUNS))  # compared, not hashed: an attribute may be anything

Moment = tuple[Any, ...]
"""Whether a span ended, the baggage that it started with, then the fields of `SpanSeen` in their order. One flat tuple:
what waits is looked at by Python's collector, and every object less is time less for the application."""


def begins_something(attributes: Attributes, context: Context | None) -> bool:
    """Whether a span that lies in nothing that we follow, and may be worth it, is worth following: a tool's call, an
    agent's run, a span that names an operation; or a request, or its receiver, with an operation in baggage."""
    if OPERATION in attributes:
        return attributes[OPERATION] in _FOLLOWED or OPERATION_ID in attributes
    return OPERATION_ID in attributes or OPERATION_ID in baggage_of(context)


def named_above(span: Any, context: Context | None) -> tuple[Any, Attributes] | None:
    """The parent of a request, with its attributes, if by now it names an operation, as one does that was named in its
    body; it began without a name, so it isn't followed yet. Only a span of the same line will be seen to end."""
    above: Any = get_current_span(context)
    try:
        attributes, is_ours = above._attributes._dict, above._span_processor is span._span_processor
    except AttributeError:  # it isn't recorded, or the SDK keeps its fields in another way
        return None
    return (above, attributes) if is_ours and OPERATION_ID in attributes and above.is_recording() else None


def carried(context: Context | None) -> Attributes:
    """What baggage says where a span starts, and what its parent says, which we don't follow."""
    context = get_current() if context is None else context
    said = baggage_of(context)
    words = getattr(get_current_span(context), "attributes", None) or NOTHING
    if OPERATION_ID in words:
        said = {**said, **{name: words[name] for name in names.READ if name in words}}
    return said


def carried_below(context: Context | None) -> Attributes:
    """What baggage says where a request starts below a span that we follow, and the scope of its key, as its parent
    says by now: the request's fact is stated before the parent ends."""
    said = baggage_of(context)
    words = getattr(get_current_span(context), "attributes", None) or NOTHING
    return {**said, KEY_SCOPE: words[KEY_SCOPE]} if KEY_SCOPE in words else said


def baggage_of(context: Context | None) -> Attributes:
    """What `opentelemetry.baggage.get_all` answers, for a fifth of the price where its key can be had."""
    if _KEY is None:
        return get_all(context)
    found = (get_current() if context is None else context).get(_KEY)
    return found if found is not None and isinstance(found, Mapping) else NOTHING


def started(span: Any, attributes: Attributes, said: Attributes) -> Moment:
    """A span as it starts. Its attributes will change, so they are copied."""
    copy = dict(attributes)
    try:
        since, made_by, of = span._start_time, span._instrumentation_scope, span._resource
        return (
            False,
            said,
            span._context,
            span._parent,
            span._name,
            span._kind,
            copy,
            since,
            None,
            UNSET,
            (),
            made_by,
            of,
        )
    except AttributeError:
        since, made_by, of = span.start_time, span.instrumentation_scope, span.resource
        return False, said, span.context, span.parent, span.name, span.kind, copy, since, None, UNSET, (), made_by, of


def ended(span: Any, attributes: Attributes, said: Attributes = NOTHING) -> Moment:
    """A span as it ended. Nothing of it changes any more. A list of no events is let go: it is larger than all else."""
    try:
        until, status = span._end_time, span._status
        events = span._events if span._events._dq else ()
        since, made_by, of = span._start_time, span._instrumentation_scope, span._resource
        where, above, name, kind = span._context, span._parent, span._name, span._kind
    except AttributeError:
        until, status, events = span.end_time, span.status, span.events
        since, made_by, of = span.start_time, span.instrumentation_scope, span.resource
        where, above, name, kind = span.context, span.parent, span.name, span.kind
    return True, said, where, above, name, kind, attributes, since, until, status, events, made_by, of


def seen(moment: Moment) -> SpanSeen:
    """What a reader looks at."""
    return SpanSeen(*moment[2:])
