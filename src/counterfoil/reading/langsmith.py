"""LangSmith's export to OpenTelemetry: runs that were told afterwards, in the names that the conventions had once.

A span of its may have the status OK although an exception stands on it, whose type is always "Exception": which one it
was is the first word of its message.
"""

from __future__ import annotations

import re

from counterfoil.reading import genai
from counterfoil.reading.failures import EXCEPTION_MESSAGE, Failure, exceptions, failure_named, failure_of
from counterfoil.reading.genai import ToolCall, ToolEnd, call_id_of, said
from counterfoil.reading.langchain import FRAMEWORK, ToolMessage, end_with, message_in
from counterfoil.reading.views import SpanView

NAME = SCOPE = "langsmith"
KIND = "langsmith.span.kind"
ARGUMENTS, RESULT = "gen_ai.prompt", "gen_ai.completion"
CONVERSATION = ("langsmith.metadata.thread_id", "langsmith.metadata.session_id", "langsmith.metadata.conversation_id")

_MODELS = ("llm", "embedding", "retriever", "prompt", "parser")
_CLASS = re.compile(r"([A-Za-z_]\w*)\(", re.ASCII)
_NOTHING = "{}"


def tool_call(span: SpanView) -> ToolCall | None:
    attributes = span.attributes or {}
    tool = said(attributes, genai.TOOL)
    if tool is None or attributes.get(genai.OPERATION) != genai.EXECUTE:
        return None
    conversation = next((found for name in CONVERSATION if (found := said(attributes, name)) is not None), None)
    return ToolCall(tool, call_id_of(attributes.get(genai.CALL_ID)), None, conversation, None, NAME, FRAMEWORK)


def tool_end(span: SpanView) -> ToolEnd:
    failure = failure_of(span)
    if failure is Failure.OTHER:
        words = (_CLASS.match(text) for kind, text in exceptions(span) if kind == EXCEPTION_MESSAGE)
        failure = failure_named(found[1] for found in words if found is not None) or failure
    return end_with(span, failure, _message(span))


def arguments_of(span: SpanView) -> object:
    return _there((span.attributes or {}).get(ARGUMENTS))


def result_of(span: SpanView) -> object:
    return _message(span).content


def is_run(span: SpanView) -> bool:
    return False  # an agent's run is a chain like any other


def is_model_request(span: SpanView) -> bool:
    return (span.attributes or {}).get(KIND) in _MODELS


def _message(span: SpanView) -> ToolMessage:
    return message_in(_there((span.attributes or {}).get(RESULT)))


def _there(value: object) -> object:
    """What was recorded: nothing is written as an empty object, also where inputs and outputs are hidden."""
    return None if value == _NOTHING else value
