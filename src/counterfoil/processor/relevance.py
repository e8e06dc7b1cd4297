"""Which spans are worth a look. Most spans of an application are not, and must cost it next to nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opentelemetry.baggage import get_all
from opentelemetry.context import Context
from opentelemetry.trace import SpanKind

from counterfoil import names
from counterfoil.reading import genai, http

OWN = frozenset(names.READ)
OLD_TOOL = "running tool"
"""What Pydantic AI's instrumentation called a tool's span before version 3."""

_NO_ATTRIBUTES: Mapping[str, Any] = {}


def attributes_of(span: Any) -> Mapping[str, Any]:
    """A span's attributes as they are, without the copy and the lock of the public way where that can be helped."""
    try:
        return span._attributes._dict  # type: ignore[no-any-return]
    except AttributeError:  # another processor put a plain dict there, or the SDK changed
        return span.attributes or _NO_ATTRIBUTES


def begins_something(span: Any, attributes: Mapping[str, Any], context: Context | None) -> bool:
    """Whether a span that lies in no call that we follow is worth following: a tool's, a run's, one that speaks our
    words, or a request or consumer for which an operation comes in baggage."""
    operation = attributes.get(genai.OPERATION)
    if operation is not None and (operation == genai.EXECUTE or operation in genai.RUNS):
        return True
    if not OWN.isdisjoint(attributes):
        return True
    kind = span.kind
    if kind is not SpanKind.INTERNAL and (kind is not SpanKind.CLIENT or http.is_request(span)):
        return names.OPERATION_ID in get_all(context)
    return bool(span.name.startswith(OLD_TOOL))


def speaks_our_words(attributes: Mapping[str, Any]) -> bool:
    """Whether a span that wasn't followed says something of an operation after all."""
    return not OWN.isdisjoint(attributes)
