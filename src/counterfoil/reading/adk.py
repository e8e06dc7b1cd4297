"""Google ADK's own spans: the GenAI conventions, written onto a tool's span only when the tool is done.

Until then the span's name says which tool is called. Arguments and result stand under names of ADK's own, and an
answer of several calls that were merged is a span that called none.
"""

from __future__ import annotations

from counterfoil.reading import genai
from counterfoil.reading.failures import failure_of
from counterfoil.reading.genai import ToolCall, ToolEnd, call_of, end_of, first_of, said
from counterfoil.reading.views import SpanView

NAME, SCOPE = "adk", "gcp.vertex.agent"
ARGUMENTS = (*genai.ARGUMENTS, "gcp.vertex.agent.tool_call_args")
RESULT = (*genai.RESULT, "gcp.vertex.agent.tool_response")

_NAMED = f"{genai.EXECUTE} "
_MERGED = "(merged tools)"
_NOTHING = ("{}", "<not serializable>", "<not specified>", '{"result": "<not specified>"}')


def tool_call(span: SpanView) -> ToolCall | None:
    if not span.name.startswith(_NAMED):
        return None
    attributes = span.attributes or {}
    tool = said(attributes, genai.TOOL) or said({genai.TOOL: span.name[len(_NAMED) :]}, genai.TOOL)
    if tool is None or tool == _MERGED:
        return None
    return call_of(attributes, tool, vocabulary=NAME, framework="google_adk")


def tool_end(span: SpanView) -> ToolEnd:
    return end_of(span, failure_of(span), result_of(span))


def arguments_of(span: SpanView) -> object:
    return _there(first_of(span.attributes or {}, ARGUMENTS))


def result_of(span: SpanView) -> object:
    return _there(first_of(span.attributes or {}, RESULT))


def is_run(span: SpanView) -> bool:
    return genai.is_run(span)


def is_model_request(span: SpanView) -> bool:
    return span.name.startswith("call_llm") or genai.is_model_request(span)


def _there(value: object) -> object:
    """What was recorded. Where content is off an empty object stands in its place, and a word where nothing came."""
    return None if isinstance(value, str) and value in _NOTHING else value
