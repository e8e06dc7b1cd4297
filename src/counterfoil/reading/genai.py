"""Spans of agents and of their tool calls: the GenAI conventions, as Pydantic AI's instrumentation 2 to 6 speaks them,
OpenTelemetry's own instrumentations and Microsoft's Agent Framework. Other vocabularies answer in these terms.

A tool's span says that a call was made, not that anything was executed. A status that is unset is only a success if a
result stands beside it: cancelled and timed-out tools look like that with several emitters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from opentelemetry.trace import SpanKind, StatusCode

from counterfoil.facts import DEFERRED_FOR_APPROVAL, Reported, Transport
from counterfoil.reading.failures import EXCEPTION_MESSAGE, Failure, exceptions, failure_of
from counterfoil.reading.identity import is_id
from counterfoil.reading.values import text
from counterfoil.reading.views import Attributes, SpanView

OPERATION = "gen_ai.operation.name"
TOOL = "gen_ai.tool.name"
CALL_ID = "gen_ai.tool.call.id"
ARGUMENTS = ("gen_ai.tool.call.arguments", "tool_arguments")
RESULT = ("gen_ai.tool.call.result", "tool_response")
AGENT = "gen_ai.agent.name"
RUN_ID = "gen_ai.agent.call.id"
CONVERSATION_ID = "gen_ai.conversation.id"
FAILURE_STAGE = "pydantic_ai.tool.failure_stage"
DEFERRAL = "pydantic_ai.tool.deferral.name"
METHOD = "mcp.method.name"
CALLS_A_TOOL = "tools/call"

OFFICIAL = "opentelemetry.instrumentation.genai."
EXECUTE = "execute_tool"
RUNS = frozenset(("invoke_agent", "create_agent", "invoke_workflow"))
MCP_SCOPES = frozenset(("fastmcp", "mcp-python-sdk"))
_OLD_NAME = "running tool"
_NO_CALL = frozenset(("(merged tools)",))
_TIMED_OUT = "Timed out after "
_RAN_OUT = re.compile(r"Tool '[^']{1,256}' timed out after [0-9.]{1,20} seconds\.")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """Who called which tool, as far as the span says. ``vocabulary``: in whose words; ``framework``: which calls the
    tool, where another instrumentation of the same one may tell of the same call."""

    tool: str
    call_id: str | None
    run_id: str | None
    conversation_id: str | None
    agent: str | None
    vocabulary: str = "genai"
    framework: str | None = None
    is_guess: bool = False  # only the end of its span will say whether it is a tool's


@dataclass(frozen=True, slots=True)
class ToolEnd:
    """How a tool's span ended. ``executed`` is False only where its body provably did nothing."""

    transport: Transport
    reported: Reported | None = None
    executed: bool | None = None
    proof: str | None = None


def tool_call(span: SpanView) -> ToolCall | None:
    """The call that this span is about; None for a span that is no tool's."""
    attributes = span.attributes or {}
    tool = said(attributes, TOOL)
    if tool is None and span.end_time is None and serves_a_call(span.kind, attributes):
        return call_of(attributes, CALLS_A_TOOL, is_guess=True)
    if tool is None or tool in _NO_CALL:
        return None
    if attributes.get(OPERATION) != EXECUTE and not span.name.startswith(_OLD_NAME):
        return None
    scope = span.instrumentation_scope
    framework = scope.name.removeprefix(OFFICIAL) if scope is not None and scope.name.startswith(OFFICIAL) else None
    return call_of(attributes, tool, framework=framework)


def serves_a_call(kind: SpanKind, attributes: Attributes) -> bool:
    """Whether an MCP server was asked to call a tool. FastMCP says which one when it has found it, in the open span."""
    return kind is SpanKind.SERVER and attributes.get(METHOD) == CALLS_A_TOOL


def call_of(
    attributes: Attributes,
    tool: str,
    *,
    vocabulary: str = "genai",
    framework: str | None = None,
    is_guess: bool = False,
) -> ToolCall:
    """A call of this tool, with the ids that stand in the conventions' own attributes."""
    return ToolCall(
        tool,
        call_id_of(attributes.get(CALL_ID)),
        said(attributes, RUN_ID),
        said(attributes, CONVERSATION_ID),
        said(attributes, AGENT),
        vocabulary,
        framework,
        is_guess,
    )


def call_id_of(value: object) -> str | None:
    """A call's id; None for the word that some write where they have none."""
    try:
        named = text(value)
    except ValueError:
        return None
    return named if is_id(named) else None


def is_run(span: SpanView) -> bool:
    """An agent's own run: what is called in there is not called by whoever started it."""
    return said(span.attributes or {}, OPERATION) in RUNS or span.name == "agent run"


def is_model_request(span: SpanView) -> bool:
    """A request to a model, or another step that is neither a run nor a tool: its traffic is no effect."""
    operation = said(span.attributes or {}, OPERATION)
    return operation is not None and operation != EXECUTE and operation not in RUNS


def is_mcp(span: SpanView) -> bool:
    """A span of the Model Context Protocol's own libraries, which lies below the tool's span of whoever called."""
    scope = span.instrumentation_scope
    return (scope is not None and scope.name in MCP_SCOPES) or METHOD in (span.attributes or {})


def tool_end(span: SpanView) -> ToolEnd:
    """How the call ended."""
    attributes = span.attributes or {}
    if attributes.get(FAILURE_STAGE) == "validation":
        return ToolEnd(Transport.ERROR, Reported.ERROR, False, "argument_validation")
    if isinstance(attributes.get(DEFERRAL), str):
        return ToolEnd(Transport.STARTED, None, False, DEFERRED_FOR_APPROVAL)
    return end_of(span, failure_of(span), result_of(span))


def end_of(span: SpanView, failure: Failure | None, result: object) -> ToolEnd:
    """What follows from how the span failed and from the result that stands on it: without either, nothing."""
    match failure:
        case Failure.CANCELLED:
            return ToolEnd(Transport.CANCELLED, Reported.ABSENT)
        case Failure.TIMEOUT:
            return ToolEnd(Transport.TIMEOUT, Reported.ERROR)
        case Failure.OTHER | Failure.NOT_SENT:
            return ToolEnd(Transport.TIMEOUT if _timed_out(span, result) else Transport.ERROR, Reported.ERROR)
    if isinstance(result, str) and _RAN_OUT.fullmatch(result):  # OpenAI Agents tells the model so, and leaves no error
        return ToolEnd(Transport.TIMEOUT, Reported.ERROR)
    if result is not None:
        return ToolEnd(Transport.SUCCESS, Reported.SUCCESS)
    return ToolEnd(Transport.STARTED)


def arguments_of(span: SpanView) -> object:
    """The call's arguments as they were sent, a text of JSON or an object; None where they were not recorded."""
    return first_of(span.attributes or {}, ARGUMENTS)


def result_of(span: SpanView) -> object:
    """What the tool gave back; None where it was not recorded."""
    return first_of(span.attributes or {}, RESULT)


def first_of(attributes: Attributes, names: tuple[str, ...]) -> object:
    """The first of these attributes that is there."""
    return next((attributes[name] for name in names if attributes.get(name) is not None), None)


def said(attributes: Attributes, name: str) -> str | None:
    """A text that names something; None where there is none that could."""
    try:
        return text(attributes.get(name))
    except ValueError:
        return None


def _timed_out(span: SpanView, result: object) -> bool:
    """Pydantic AI says so only in words."""
    if span.status.status_code is not StatusCode.ERROR:
        return False
    if any(name == EXCEPTION_MESSAGE and said.startswith(_TIMED_OUT) for name, said in exceptions(span)):
        return True
    return isinstance(result, str) and result.lstrip('"').startswith(_TIMED_OUT)
