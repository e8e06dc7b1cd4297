"""OpenInference's vocabulary, as its instrumentations of LangChain, OpenAI Agents and others speak it.

What a span is stands in its kind, which LangChain's instrumentation writes only when the span ends. A kind of TOOL is
also given to a handoff and to the listing of a server's tools, which call none.
"""

from __future__ import annotations

from counterfoil.reading.failures import failure_of
from counterfoil.reading.genai import ToolCall, ToolEnd, call_id_of, said
from counterfoil.reading.langchain import FRAMEWORK as LANGCHAIN
from counterfoil.reading.langchain import end_with, message_in
from counterfoil.reading.views import SpanView

NAME = "openinference"
PREFIX = "openinference.instrumentation."
KIND = "openinference.span.kind"
TOOL, CALL_ID = "tool.name", "tool.id"
INPUT, OUTPUT = "input.value", "output.value"
CONVERSATION, AGENT = "session.id", "agent.name"

_MODELS = ("LLM", "EMBEDDING", "RETRIEVER", "RERANKER", "GUARDRAIL", "EVALUATOR", "PROMPT")
_NO_TOOL = ("handoff", "mcp_tools")
_HIDDEN = "__REDACTED__"


def tool_call(span: SpanView) -> ToolCall | None:
    """The call that this span is about. While it is open, its name is all that says which tool is called."""
    attributes = span.attributes or {}
    if attributes.get(KIND) != "TOOL":
        return None
    tool = named = said(attributes, TOOL)
    if tool is None:
        if span.end_time is not None or span.name.startswith(_NO_TOOL):
            return None
        tool = said({TOOL: span.name}, TOOL)
    if tool is None:
        return None
    scope = span.instrumentation_scope
    made_by = scope.name.removeprefix(PREFIX) if scope is not None else None
    call_id = attributes.get(CALL_ID)
    if call_id is None and made_by == LANGCHAIN:
        call_id = message_in(attributes.get(OUTPUT)).call_id
    conversation, agent = said(attributes, CONVERSATION), said(attributes, AGENT)
    return ToolCall(tool, call_id_of(call_id), None, conversation, agent, NAME, made_by, is_guess=named is None)


def tool_end(span: SpanView) -> ToolEnd:
    """How the call ended. Its status is OK wherever nothing was raised, also where the call was cut off."""
    return end_with(span, failure_of(span), message_in((span.attributes or {}).get(OUTPUT)))


def arguments_of(span: SpanView) -> object:
    return _shown((span.attributes or {}).get(INPUT))


def result_of(span: SpanView) -> object:
    return _shown(message_in((span.attributes or {}).get(OUTPUT)).content)


def is_run(span: SpanView) -> bool:
    return (span.attributes or {}).get(KIND) == "AGENT"


def is_model_request(span: SpanView) -> bool:
    return (span.attributes or {}).get(KIND) in _MODELS  # a tuple, compared: an attribute may be anything


def _shown(value: object) -> object:
    return None if value == _HIDDEN else value
