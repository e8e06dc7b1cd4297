"""Where a span stands: what holds for it because of the spans above it, as long as those are remembered."""

from __future__ import annotations

from dataclasses import dataclass

from opentelemetry.trace import SpanKind

from counterfoil.reading import genai, vocabularies
from counterfoil.reading.calls import Call, Dispatched, Route
from counterfoil.reading.own import Own
from counterfoil.reading.values import text
from counterfoil.reading.views import Ids, SpanView


@dataclass(slots=True)
class Run:
    """An agent's run, as far as it was advised. ``unclear``: nobody can say whether it was. ``route``: it is the run of
    an advisor that answers."""

    has_advisor: bool = False
    advised: bool = False
    unclear: bool = False
    route: Route | None = None


@dataclass(slots=True)
class Open:
    """One open span. Everything below it starts from what holds here."""

    ids: Ids
    started_at: int
    process: str | None
    declared: str | None = None  # the operation, if somebody named it for this span or for one above
    outside: str | None = None  # what was declared before the agent's run began
    call: Call | None = None  # the call that it is part of
    own_call: bool = False
    request: Dispatched | None = None  # the request that it is
    within: Dispatched | None = None  # the request that it is part of
    is_view: bool = False  # another instrumentation's span of that call
    conversation: str | None = None  # as the run that it lies in says
    is_run: bool = False
    run: Run | None = None  # the agent's run that it lies in, or that it is
    is_carrier: bool = False  # requests below are how a protocol, or a model's answer, travels
    far_side: bool = False  # below a request: whoever answers it
    is_served: bool = False  # below an MCP server's span: its own work, and no longer how the call came here


def place(node: Open, span: SpanView, above: Open | None, said: Own, carried: Own) -> Open:
    """Put a new span's node below another one. ``said`` is on it, ``carried`` comes in baggage."""
    inherited = above.declared if above is not None else None
    if inherited is None and (above is None or carried.operation_id != above.outside):
        inherited = carried.operation_id  # what was declared outside of a run was either taken by the call or isn't its
    node.declared = said.operation_id or inherited
    if above is not None:
        node.run = above.run
        node.call, node.outside, node.within = above.call, above.outside, above.request or above.within
        node.is_carrier, node.far_side, node.conversation = above.is_carrier, above.far_side, above.conversation
        node.is_served = above.is_served
    if span.kind in (SpanKind.SERVER, SpanKind.CONSUMER):
        _receive(span, node, said)
    words = vocabularies.of(span)
    if words.is_run(span):
        node.run = Run()
        if node.call is not None:
            node.call.delegates = True
            if genai.said(span.attributes or {}, genai.AGENT) == node.call.name == "advisor":
                node.run.route = node.call.route = Route()
        node.is_run, node.call, node.outside = True, None, node.declared
        node.within, node.far_side, node.is_carrier = None, False, False
        node.conversation = genai.said(span.attributes or {}, genai.CONVERSATION_ID) or node.conversation
    elif words.is_model_request(span):
        node.call, node.is_carrier = None, True
    elif genai.is_mcp(span):
        node.is_served = span.kind is SpanKind.SERVER or (node.is_served and span.kind is not SpanKind.CLIENT)
        node.is_carrier = node.is_carrier or node.call is not None
        node.is_carrier = node.is_carrier and not node.is_served
    return node


def _receive(span: SpanView, node: Open, said: Own) -> None:
    """Who answers a request sends none of its own for the operation, unless it declares that by itself."""
    from_afar = span.kind is SpanKind.SERVER and span.parent is not None and span.parent.is_remote
    if node.within is not None or (from_afar and said.operation_id is None):
        node.far_side, node.call = True, None


def seen_already(span: SpanView, made: genai.ToolCall, call: Call | None) -> bool:
    """Whether a tool's span is another view of the call that it lies in, by a lower library or another emitter."""
    if call is None or call.tool is None:
        return False
    if made.call_id is not None:
        return made.call_id == call.tool.call_id
    return genai.is_mcp(span) or made.tool == call.tool.tool


def text_or_none(value: object) -> str | None:
    try:
        return text(value)
    except ValueError:
        return None
