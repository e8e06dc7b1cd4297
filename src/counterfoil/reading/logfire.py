"""Logfire's own spans of OpenAI Agents. What a span is stands in the template of its message."""

from __future__ import annotations

from counterfoil.reading.failures import failure_of
from counterfoil.reading.genai import ToolCall, ToolEnd, end_of, said
from counterfoil.reading.views import SpanView

NAME, SCOPE = "logfire", "logfire.openai_agents"
TEMPLATE, TOOL = "logfire.msg_template", "name"
ARGUMENTS, RESULT = "input", "output"

_FUNCTION = "Function: {name}"
_RUN = "Agent run: {name!r}"
_MODEL = ("Responses API", "Chat completion with")
_NOTHING = "null"


def tool_call(span: SpanView) -> ToolCall | None:
    attributes = span.attributes or {}
    tool = said(attributes, TOOL)
    if tool is None or attributes.get(TEMPLATE) != _FUNCTION:
        return None
    return ToolCall(tool, None, None, None, None, NAME, "openai_agents")


def tool_end(span: SpanView) -> ToolEnd:
    return end_of(span, failure_of(span), result_of(span))


def arguments_of(span: SpanView) -> object:
    return (span.attributes or {}).get(ARGUMENTS)


def result_of(span: SpanView) -> object:
    """What the tool gave back. One that was cut off has the same null there as one that gave back nothing."""
    result = (span.attributes or {}).get(RESULT)
    return None if result == _NOTHING else result


def is_run(span: SpanView) -> bool:
    return (span.attributes or {}).get(TEMPLATE) == _RUN


def is_model_request(span: SpanView) -> bool:
    template = (span.attributes or {}).get(TEMPLATE)
    return isinstance(template, str) and template.startswith(_MODEL)
