"""A span starts: a tool's call, a request, or a span for which somebody declared an operation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from counterfoil.config import Config, Place
from counterfoil.facts import ADVISED, UNADVISED, Fact
from counterfoil.reading import genai, http, outgoing, vocabularies
from counterfoil.reading.attempts import key_of, views
from counterfoil.reading.calls import Call, Dispatched
from counterfoil.reading.doubled import Doubled
from counterfoil.reading.genai import ToolCall
from counterfoil.reading.hashing import fingerprint
from counterfoil.reading.naming import Names
from counterfoil.reading.own import NOTHING, Own
from counterfoil.reading.requests import request_of
from counterfoil.reading.resolving import intent_of, payload_of
from counterfoil.reading.tree import Open, Run, seen_already, text_or_none
from counterfoil.reading.views import SpanView, hex_ids


@dataclass(frozen=True, slots=True)
class Beginnings:
    """Knows the settings, and which names are taken."""

    config: Config
    names: Names
    doubled: Doubled = field(default_factory=Doubled)

    def of(self, span: SpanView, node: Open, above: Open | None, said: Own, carried: Own) -> Iterable[Fact]:
        """Take the span in. A call whose operation is declared states its intent; a request outside of any call, that
        it was started."""
        made = vocabularies.tool_call(span)
        if made is not None and not seen_already(span, made, node.call):
            self.begin(span, node, made, said, carried)
            return self._intent(node) if node.own_call else ()
        if outgoing.is_request(span):
            return self._request(span, node, above, said, carried)
        if said.operation_id is not None and node.call is not None:
            node.call.declare_below(said.operation_id)
        elif said.operation_id is not None and not node.is_run and not node.far_side:
            self.begin(span, node, None, said, carried)
        return ()

    def begin(self, span: SpanView, node: Open, made: ToolCall | None, said: Own, carried: Own = NOTHING) -> None:
        """A call of its own begins here, or this is another instrumentation's view of one that began already."""
        scope = span.instrumentation_scope
        made = _placed(made, node)
        call = Call(node.ids, node.started_at, node.process, text_or_none(scope.name if scope else None), made, said)
        call.ended_at = span.end_time
        call.named = genai.said(span.attributes or {}, genai.TOOL)
        if made is not None:
            tool = self.config.tool(made.tool)
            call.request = request_of(vocabularies.arguments_of(span), tool, self.config.hash_key)
            node.far_side, node.is_carrier, node.within = False, False, None
            first = self.doubled.first_of(call)
            if first is not None:
                first.take_request(call.request)
                node.call, node.is_view = first, True
                return
            outside = said.operation_id is None and node.declared is not None and node.declared == node.outside
            hashed = said.request_hash or call.request.payload_hash
            if outside and not self.names.inherited(str(node.declared), made.tool, hashed):
                node.declared, carried = None, NOTHING
        call.said = said.over(meant(carried))
        call.declared = node.declared or call.request.operation_id
        if made is not None and node.run is not None:
            _advised(call, node.run, self.config.tool(made.tool).advice)
        node.call, node.own_call = call, True
        self.doubled.add(call)

    def _intent(self, node: Open) -> Iterable[Fact]:
        call = node.call
        if call is None or call.declared is None:
            return
        tool = self.config.tool(call.name)
        expected = call.said.expected_count or tool.expected_count
        about: dict[str, Any] = {"operation_id": call.declared, "process": call.process}
        about["expected_count"] = expected if expected != 1 else None
        yield intent_of(call, tool, about, None)

    def _request(self, span: SpanView, node: Open, above: Open | None, said: Own, carried: Own) -> Iterable[Fact]:
        target, call = outgoing.target_of(span), node.call
        if target is None or node.is_carrier or node.far_side or (call is None and node.declared is None):
            return ()
        one = node.request = Dispatched(node.ids, target, node.started_at, node.process, said=said)
        if call is None or said.operation_id is not None or (above is not None and above.declared != call.declared):
            one.declared = node.declared
        self.take_key(span, one, call)
        if node.within is not None and not node.within.inner:
            node.within.inner = True  # a library below the one that we saw first sends the real request
            one.key = one.key or node.within.key
        if call is None:
            return views(one, {"operation_id": str(node.declared)}, key_of(one, said.key_scope, captured=False))
        if call.resolved is None:
            call.dispatch(one)
        return self._sent(call, one, carried.key_scope, nested=node.within is not None)

    def _sent(self, call: Call, one: Dispatched, scope: str | None, *, nested: bool) -> Iterable[Fact]:
        """A request that leaves with a key, for an operation that was declared, is stated before anything can happen to
        this process. Without a key nobody knows yet whether it will be one of several steps. ``scope``: of its key, as
        its parent says by now."""
        if call.declared is None or one.key is None or one.declared is not None or nested or call.resolved is not None:
            return ()
        one.stated = True
        tool = self.config.tool(call.name)
        expected = call.said.expected_count or tool.expected_count
        about = {"operation_id": call.declared, "expected_count": expected if expected != 1 else None}
        return views(
            one, about, payload_of(call) | key_of(one, scope or call.said.key_scope or tool.key_scope, captured=True)
        )

    def take_key(self, span: SpanView, one: Dispatched, call: Call | None) -> None:
        """The key that a request is sent with, as somebody says on its span, or as its header shows."""
        key = one.said.idempotency_key
        if key is None and one.key is None:
            wanted = self.config.tool(call.name if call is not None else None).idempotency_key
            headers = {wanted.text} if wanted is not None and wanted.place is Place.HEADER else http.KEY_HEADERS
            shown = (http.header(span.attributes or {}, prefix, headers) for prefix in outgoing.HEADERS)
            found = next((value for value in shown if value is not None), None)
            key = fingerprint(found, self.config.hash_key) if found is not None else None
            one.keyless = http.sent_without(span, headers, self.config.captured_headers)
        one.key = key or one.key


def _placed(made: ToolCall | None, node: Open) -> ToolCall | None:
    """A call with what the spans above it say. Where nobody names the run, the trace stands for it."""
    if made is None or (made.run_id is not None and made.conversation_id is not None):
        return made
    conversation = made.conversation_id or node.conversation
    run = made.run_id or (f"trace:{hex_ids(node.ids)[0]}" if conversation is not None else None)
    return replace(made, conversation_id=conversation, run_id=run)


def _advised(call: Call, run: Run, required: str | None) -> None:
    """A consultation has no side effect. Of another call for which advice is required it is known, by now, whether its
    run was advised; if it is unclear, nothing is said."""
    if call.name == "advisor" and run.has_advisor:
        call.said = Own(side_effect=False).over(call.said)
    elif required is not None and not run.unclear:
        call.advice = ADVISED if run.advised else UNADVISED


def meant(carried: Own) -> Own:
    """What baggage may say for a call: what was meant, not what came of it."""
    if carried is NOTHING:
        return NOTHING
    return Own(
        intent_ref=carried.intent_ref,
        side_effect=carried.side_effect,
        expected_count=carried.expected_count,
        idempotency_key=carried.idempotency_key,
        key_scope=carried.key_scope,
    )
