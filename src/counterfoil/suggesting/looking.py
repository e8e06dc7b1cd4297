"""Count what spans and judgements show of each tool."""

from __future__ import annotations

from collections.abc import Iterable

from counterfoil.judge import Judgement
from counterfoil.names import OPERATION_ID
from counterfoil.reading import http, vocabularies
from counterfoil.reading.requests import document_of
from counterfoil.reading.traces import Trace, Traces
from counterfoil.reading.views import Attributes, SpanSeen, SpanView
from counterfoil.suggesting.seen import Tools, ToolSeen, count_fields
from counterfoil.verdicts import Outcome

DEEP = 64
"""So many spans up from a request its tool is looked for."""


def look_at_spans(tools: Tools, traces: Traces) -> None:
    """Calls with the names of their fields, and requests below them."""
    for trace in traces.by_id.values():
        for span in trace.values():
            made = vocabularies.tool_call(span)
            if made is not None and (above := _tool_above(span, trace)) != made.tool:
                look_at_call(tools.of(made.tool), span)
            elif http.is_request(span) and (above := _tool_above(span, trace)) is not None:
                look_at_request(tools.of(above), span)


def look_at_judgements(tools: Tools, judgements: Iterable[Judgement]) -> None:
    """How many operations each tool had, and of how many the outcome is known."""
    for judgement in judgements:
        operation = judgement.operation
        if operation.tool is None:
            continue
        seen = tools.of(operation.tool)
        seen.operations += 1
        seen.known += judgement.outcome is not Outcome.INDETERMINATE


def look_at_attempts(tools: Tools, judgements: Iterable[Judgement]) -> Iterable[Judgement]:
    """For a ledger, which keeps no spans: calls and hosts as far as attempts tell of them. Passes judgements on."""
    for judgement in judgements:
        operation = judgement.operation
        if operation.tool is not None:
            seen = tools.of(operation.tool)
            seen.calls += len(operation.dispatches)
            for dispatch in operation.dispatches:
                host = next((view.key_scope for view in dispatch.views if isinstance(view.key_scope, str)), None)
                if host is not None:
                    seen.requests["", host] += 1
                    seen.with_key += any(isinstance(view.idempotency_key, str) for view in dispatch.views)
        yield judgement


def look_at_call(seen: ToolSeen, span: SpanView) -> None:
    """One ended call: whether its arguments and result are there, and the names of their fields."""
    attributes = span.attributes or {}
    arguments, result = vocabularies.arguments_of(span), vocabularies.result_of(span)
    seen.calls += 1
    seen.declared += OPERATION_ID in attributes
    if arguments is not None:
        seen.with_arguments += 1
        count_fields(seen.arguments, document_of(arguments))
    if result is not None:
        seen.results += 1
        count_fields(seen.result, document_of(result))


def look_at_request(seen: ToolSeen, span: SpanView) -> None:
    """One ended request below a call: method, host and the names of captured headers."""
    attributes = span.attributes or {}
    method = next((value for name in http.METHOD if isinstance(value := attributes.get(name), str)), "")
    target = http.target_of(span)
    host = target.server if target is not None else _host(attributes)
    seen.requests[method.upper(), host] += 1
    seen.with_key += http.header(attributes, http.REQUEST_HEADER, http.KEY_HEADERS) is not None
    for name in attributes:
        if name.startswith(http.REQUEST_HEADER):
            seen.headers[name[len(http.REQUEST_HEADER) :].lower().replace("_", "-")] += 1


def _host(attributes: Attributes) -> str:
    return next((value for name in http.HOST if isinstance(value := attributes.get(name), str)), "")


def _tool_above(span: SpanSeen, trace: Trace) -> str | None:
    """The tool that a span lies below; None where an agent's run or a model's request lies between."""
    for _ in range(DEEP):
        if span.parent is None or span.parent.span_id not in trace:
            return None
        span = trace[span.parent.span_id]
        made = vocabularies.tool_call(span)
        if made is not None:
            return made.tool
        if vocabularies.is_run(span) or vocabularies.is_model_request(span):
            return None
    return None
