"""What is taken down of a span on the application's thread, and of which spans.

Most spans of an application are nobody's evidence and must cost it next to nothing: a few look-ups, no copy. Of the
others scalars are copied and the span is let go; keeping it alive would cost more than everything else here. Where the
SDK keeps its fields in another way than it did, the public way is taken, which is slower.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opentelemetry.baggage import get_all
from opentelemetry.context import Context
from opentelemetry.trace import SpanKind, get_current_span

from counterfoil import names
from counterfoil.reading import genai, http
from counterfoil.reading.views import Attributes, SpanSeen

OWN = frozenset(names.READ)
NOTHING: Mapping[str, Any] = {}
_RUNS_AND_CALLS = genai.RUNS | {genai.EXECUTE}
_OPERATION, _DECLARED, _METHODS = genai.OPERATION, names.OPERATION_ID, http.METHOD
_INTERNAL, _CLIENT = SpanKind.INTERNAL, SpanKind.CLIENT

Moment = tuple[bool, Attributes | None, tuple[Any, ...]]
"""Whether a span ended, the baggage that it started with, and the fields of what was seen of it, in their order."""


def attributes_of(span: Any) -> Mapping[str, Any]:
    """A span's attributes as they are, without the copy and the lock of the public way where that can be helped."""
    try:
        return span._attributes._dict  # type: ignore[no-any-return]
    except AttributeError:  # another processor put a plain dict there, or the SDK changed
        return span.attributes or NOTHING


def begins_something(span: Any, attributes: Mapping[str, Any], context: Context | None) -> bool:
    """Whether a span that lies in nothing that we follow is worth following: a tool's call, an agent's run, a span
    that names an operation, or a request or its receiver with an operation in baggage."""
    if _OPERATION in attributes:
        return attributes[_OPERATION] in _RUNS_AND_CALLS or _DECLARED in attributes
    if _DECLARED in attributes:
        return True
    kind = span.kind
    if kind is _INTERNAL or (kind is _CLIENT and not any(method in attributes for method in _METHODS)):
        return False
    return _DECLARED in get_all(context)


def says_something(attributes: Mapping[str, Any]) -> bool:
    """Whether a span that was not followed says something of an operation after all."""
    return not OWN.isdisjoint(attributes)


def carried(context: Context | None, *, from_above: bool) -> Attributes | None:
    """What baggage says where a span starts; and, ``from_above``, what its parent says that we don't follow."""
    said = get_all(context)
    if from_above:
        above = attributes_of_recording(get_current_span(context))
        if _DECLARED in above:
            said = {**said, **{name: above[name] for name in names.READ if name in above}}
    return said or None


def attributes_of_recording(span: Any) -> Mapping[str, Any]:
    """The attributes of a live span; none of one that is not recorded here."""
    return attributes_of(span) if getattr(span, "_attributes", None) is not None else NOTHING


def started(span: Any, attributes: Mapping[str, Any], said: Attributes | None) -> Moment:
    """A span as it starts."""
    fields = span.context, span.parent, span.name, span.kind, dict(attributes), span.start_time
    return False, said, (*fields, None, span.status, (), span.instrumentation_scope, span.resource)


def ended(span: Any, attributes: Mapping[str, Any], said: Attributes | None = None) -> Moment:
    """A span as it ended."""
    fields = span.context, span.parent, span.name, span.kind, dict(attributes), span.start_time
    return True, said, (*fields, span.end_time, span.status, span.events, span.instrumentation_scope, span.resource)


def seen(moment: Moment) -> SpanSeen:
    """What a reader looks at."""
    return SpanSeen(*moment[2])
