"""LangChain's own shapes, which three vocabularies carry whole: the message that a tool's result is wrapped in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from counterfoil.facts import Reported, Transport
from counterfoil.reading.failures import Failure
from counterfoil.reading.genai import ToolEnd, end_of
from counterfoil.reading.requests import document_of
from counterfoil.reading.views import SpanView

FRAMEWORK = "langchain"
_WRAPPERS = ("output", "data", "kwargs")
_DEPTH = 4


class ToolMessage(NamedTuple):
    """What a tool's message holds. ``failed``: the tool's caller was told of an error, whatever the span's status."""

    content: object
    call_id: object = None
    failed: bool = False


def message_in(result: object) -> ToolMessage:
    """The message within a result, however it was serialised; a result that is none is its own content."""
    document = document_of(result) if isinstance(result, str) else result
    for _ in range(_DEPTH):
        if not isinstance(document, Mapping):
            break
        if "tool_call_id" in document and "content" in document:
            return ToolMessage(document["content"], document["tool_call_id"], document.get("status") == "error")
        inner = next((document[name] for name in _WRAPPERS if isinstance(document.get(name), Mapping)), None)
        if inner is None:
            break
        document = inner
    return ToolMessage(result)


def end_with(span: SpanView, failure: Failure | None, message: ToolMessage) -> ToolEnd:
    """How a call ended that gave this message back: a tool may tell of its failure in there, and the span succeeds."""
    end = end_of(span, failure, message.content)
    if message.failed and end.reported is Reported.SUCCESS:
        return ToolEnd(Transport.ERROR, Reported.ERROR)
    return end
