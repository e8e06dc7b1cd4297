"""Traceloop's vocabulary: its instrumentations of LangChain, OpenAI Agents and others, and its SDK's decorators.

Most of it is the GenAI conventions. What differs is the envelope: arguments and result stand in it beside tags,
metadata and the call's id, and only what was meant for the tool may be compared.
"""

from __future__ import annotations

from collections.abc import Mapping

from counterfoil.facts import Reported, Transport
from counterfoil.reading import genai
from counterfoil.reading.failures import failure_of
from counterfoil.reading.genai import ToolCall, ToolEnd, call_id_of, first_of, said
from counterfoil.reading.langchain import ToolMessage, end_with, message_in
from counterfoil.reading.requests import document_of
from counterfoil.reading.views import SpanView

NAME = "traceloop"
PREFIX = "opentelemetry.instrumentation."
SCOPES = frozenset(
    (*(f"{PREFIX}{one}" for one in ("langchain", "openai_agents", "crewai", "agno", "mcp")), "traceloop.tracer")
)
KIND, ENTITY, STATUS = "traceloop.span.kind", "traceloop.entity.name", "gen_ai.task.status"
INPUT = (*genai.ARGUMENTS, "traceloop.entity.input")
OUTPUT = (*genai.RESULT, "traceloop.entity.output")
_OF = "traceloop.association.properties."
CONVERSATION = (genai.CONVERSATION_ID, f"{_OF}thread_id", f"{_OF}session_id")
_RUNS = ("agent", "workflow")
_STEPS = ("task", "tool")


def tool_call(span: SpanView) -> ToolCall | None:
    attributes = span.attributes or {}
    if attributes.get(KIND) != "tool" and attributes.get(genai.OPERATION) != genai.EXECUTE:
        return None
    tool = said(attributes, genai.TOOL) or said(attributes, ENTITY)
    if tool is None:
        return None
    conversation = next((found for name in CONVERSATION if (found := said(attributes, name)) is not None), None)
    scope = span.instrumentation_scope
    made_by = scope.name.removeprefix(PREFIX) if scope is not None else None
    call_id = attributes.get(genai.CALL_ID) or _call_id(span)
    return ToolCall(tool, call_id_of(call_id), None, conversation, said(attributes, genai.AGENT), NAME, made_by)


def tool_end(span: SpanView) -> ToolEnd:
    """How the call ended. Where content is off, LangChain's instrumentation still says that it succeeded."""
    attributes = span.attributes or {}
    end = end_with(span, failure_of(span), _message(span))
    if end.reported is None and attributes.get(STATUS) == "success":
        return ToolEnd(Transport.SUCCESS, Reported.SUCCESS)
    return end


def arguments_of(span: SpanView) -> object:
    """What the tool was called with, out of the envelope."""
    given = first_of(span.attributes or {}, INPUT)
    envelope = document_of(given) if isinstance(given, str) else given
    if not isinstance(envelope, Mapping):
        return given
    if "input_str" in envelope and isinstance(envelope.get("inputs"), Mapping):  # LangChain's
        return envelope["inputs"]
    if envelope.keys() == {"args", "kwargs"}:  # a decorated function's
        return envelope["kwargs"] if not envelope["args"] else envelope
    return given


def result_of(span: SpanView) -> object:
    return _message(span).content


def is_run(span: SpanView) -> bool:
    attributes = span.attributes or {}
    return attributes.get(KIND) in _RUNS or genai.is_run(span)


def is_model_request(span: SpanView) -> bool:
    """A task is a step of a graph, whatever the operation is called: tools are called below it."""
    return (span.attributes or {}).get(KIND) not in (*_RUNS, *_STEPS) and genai.is_model_request(span)


def _message(span: SpanView) -> ToolMessage:
    return message_in(first_of(span.attributes or {}, OUTPUT))


def _call_id(span: SpanView) -> object:
    given = first_of(span.attributes or {}, INPUT)
    envelope = document_of(given) if isinstance(given, str) else None
    beside = envelope.get("kwargs") if isinstance(envelope, Mapping) and "input_str" in envelope else None
    return beside.get("tool_call_id") if isinstance(beside, Mapping) else None
