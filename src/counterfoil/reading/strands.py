"""Strands' own spans: the GenAI conventions, with arguments and result in events, and a status of the tool's own.

Under `OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental` they stand in the conventions' attributes instead.
"""

from __future__ import annotations

from dataclasses import replace

from counterfoil.facts import Reported, Transport
from counterfoil.reading import genai
from counterfoil.reading.failures import Failure, failure_of
from counterfoil.reading.genai import ToolCall, ToolEnd, end_of
from counterfoil.reading.views import SpanView

NAME, SCOPE = "strands", "strands.telemetry.tracer"
STATUS, CANCELLED = "gen_ai.tool.status", "strands.cancellation.type"
ARGUMENTS, RESULT = ("gen_ai.tool.message", "content"), ("gen_ai.choice", "message")


def tool_call(span: SpanView) -> ToolCall | None:
    made = genai.tool_call(span)
    return None if made is None else replace(made, vocabulary=NAME)


def tool_end(span: SpanView) -> ToolEnd:
    attributes = span.attributes or {}
    failure = Failure.CANCELLED if CANCELLED in attributes else failure_of(span)
    status = attributes.get(STATUS)
    if failure is None and status == "error":
        failure = Failure.OTHER
    end = end_of(span, failure, result_of(span))
    if end.reported is None and status == "success":  # content is off
        return ToolEnd(Transport.SUCCESS, Reported.SUCCESS)
    return end


def arguments_of(span: SpanView) -> object:
    found = genai.arguments_of(span)
    return found if found is not None else _event(span, *ARGUMENTS)


def result_of(span: SpanView) -> object:
    found = genai.result_of(span)
    return found if found is not None else _event(span, *RESULT)


def _event(span: SpanView, name: str, attribute: str) -> object:
    return next(((event.attributes or {}).get(attribute) for event in span.events if event.name == name), None)
