"""A span ends: only now is known what it came to, and which operation an undeclared call belongs to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from counterfoil.config import Place, ToolConfig
from counterfoil.facts import Fact, Reported, Transport
from counterfoil.reading import genai, http, outgoing, vocabularies
from counterfoil.reading.attempts import UNKNOWN, key_of, views
from counterfoil.reading.beginnings import Beginnings
from counterfoil.reading.calls import Call, CallEnd, Shown
from counterfoil.reading.failures import failure_of
from counterfoil.reading.own import Own
from counterfoil.reading.requests import document_of, first_name, names_at, request_of
from counterfoil.reading.resolving import late_request, resolve, shown_facts
from counterfoil.reading.tree import Open, seen_already
from counterfoil.reading.views import SpanView, hex_ids

LATE, NAMELESS, OVERFLOW = "late_request", "no_operation", "call_full"
"""Why something was not taken in, as it is counted."""


@dataclass(frozen=True, slots=True)
class Endings:
    """Knows how spans began, and counts what can't be taken in."""

    beginnings: Beginnings
    spilled: Counter[str]

    def of(self, span: SpanView, node: Open, said: Own, ended_at: int) -> Iterable[Fact]:
        if not node.own_call and not node.is_view and node.request is None:
            self._late(span, node, said)
        call = node.call
        if node.own_call and call is not None:
            return self._call(span, call, said, ended_at)
        if node.request is not None:
            return (*self._request(span, node, said, ended_at), *self._shown(node, said, ended_at, is_claim=False))
        if call is not None:
            if said.operation_id is not None:
                call.declare_below(said.operation_id)
            call.replay = call.replay or _is_replay(span)
        return self._shown(node, said, ended_at, is_claim=True)

    def never(self, node: Open) -> Iterable[Fact]:
        """The span never ends. A call comes to what is known of it; its requests were started."""
        call, one = node.call, node.request
        if node.own_call and call is not None:
            call.ended_at = call.started_at
            return self._resolved(call, UNKNOWN)
        if one is not None and call is None:
            return views(one, {"operation_id": str(one.declared)}, {}, abandoned=True)
        return ()

    def _call(self, span: SpanView, call: Call, said: Own, ended_at: int) -> Iterable[Fact]:
        call.said = said.over(call.said)
        call.declared = said.operation_id or call.declared
        call.ended_at = ended_at
        if call.tool is None or call.tool.is_guess or call.tool.call_id is None:
            self._named(span, call)
        tool = self.beginnings.config.tool(call.name)
        if call.tool is not None and call.request.payload_hash is None:  # not there at the start
            call.request = request_of(vocabularies.arguments_of(span), tool, self.beginnings.config.hash_key)
        claimed = call.tool is None and call.said.reported is not None
        if call.said.has_effect or claimed:
            call.show(Shown(call.ids, call.said, call.started_at, ended_at, call.process, claimed))
        end = _tool_end(span, call, tool, ended_at) if call.tool is not None else _span_end(span, call, ended_at)
        return self._resolved(call, end)

    def _late(self, span: SpanView, node: Open, said: Own) -> None:
        """Some emitters say only at its end that a span was a tool's. What lay below it until then is lost to it."""
        made = vocabularies.tool_call(span)
        if made is not None and not seen_already(span, made, node.call):
            self.beginnings.begin(span, node, made, said)

    def _named(self, span: SpanView, call: Call) -> None:
        """Who called which tool, as far as only the end of the span says so."""
        made = vocabularies.tool_call(span)
        call.named = genai.said(span.attributes or {}, genai.TOOL)
        if made is None or call.tool is None:
            call.tool = made if call.tool is None or call.tool.is_guess else call.tool
            return
        before = call.tool
        conversation = before.conversation_id or made.conversation_id
        run = before.run_id or (f"trace:{hex_ids(call.ids)[0]}" if conversation is not None else None)
        call.tool = replace(made, conversation_id=conversation, run_id=run)

    def _resolved(self, call: Call, end: CallEnd) -> Iterable[Fact]:
        tool = self.beginnings.config.tool(call.name)
        if call.said.key_scope is None and tool.key_scope is not None:
            call.said = call.said.over(Own(key_scope=tool.key_scope))
        if call.overflow:
            self.spilled[OVERFLOW] += call.overflow
        return resolve(call, end, tool, self.beginnings.names)

    def _request(self, span: SpanView, node: Open, said: Own, ended_at: int) -> Iterable[Fact]:
        one, call = node.request, node.call
        if one is None:
            return ()
        attributes = span.attributes or {}
        one.said, one.ended_at, one.ending = said.over(one.said), ended_at, outgoing.ending_of(span, one.target)
        one.wire_requests = http.wire_requests(attributes)
        self.beginnings.take_key(span, one, call)
        answer = http.headers(attributes)
        one.replayed = any(answer.get(name, "").lower() == "true" for name in http.REPLAYED_HEADERS)
        if call is not None:
            tool = self.beginnings.config.tool(call.name)
            one.refs = names_at(tool.effect_ref, {Place.HEADER: answer})
        if one.inner:
            return ()
        if call is None:
            about = {"operation_id": str(one.declared)}
            return views(one, about, key_of(one, one.said.key_scope, captured=False))
        if call.resolved is None:
            return ()
        facts = late_request(call, one)
        if not facts:
            self.spilled[LATE] += 1
        return facts

    def _shown(self, node: Open, said: Own, ended_at: int, *, is_claim: bool) -> Iterable[Fact]:
        if not said.has_effect and not (is_claim and said.reported is not None):
            return ()
        shown, call = Shown(node.ids, said, node.started_at, ended_at, node.process, is_claim), node.call
        named = said.operation_id or (node.declared if call is None or node.declared != call.declared else None)
        if named is not None:
            return shown_facts(shown, named)
        if call is None:
            self.spilled[NAMELESS] += 1
            return ()
        if call.resolved is not None:
            return shown_facts(shown, call.resolved.operation_id)
        call.show(shown)
        return ()


def _tool_end(span: SpanView, call: Call, tool: ToolConfig, ended_at: int) -> CallEnd:
    end = vocabularies.tool_end(span)
    lookups = (tool.effect_ref, tool.operation_id, tool.intent_ref)
    is_asked = any(lookup is not None and lookup.place is Place.RESULT for lookup in lookups)
    documents = {Place.RESULT: document_of(vocabularies.result_of(span))} if is_asked else {}
    refs = call.request.effect_refs or (
        names_at(tool.effect_ref, documents) if end.reported is Reported.SUCCESS else ()
    )
    return CallEnd(
        ended_at,
        end.transport,
        end.reported,
        end.executed,
        end.proof,
        refs,
        first_name(tool.operation_id, documents),
        first_name(tool.intent_ref, documents),
    )


def _span_end(span: SpanView, call: Call, ended_at: int) -> CallEnd:
    """A span that is no tool's says nothing of its own accord; its requests do."""
    if failure_of(span) is not None:
        return CallEnd(ended_at, Transport.ERROR)
    clean = bool(call.dispatches) and all(one.is_clean for one in call.dispatches)
    return CallEnd(ended_at, Transport.SUCCESS if clean else Transport.STARTED)


def _is_replay(span: SpanView) -> bool:
    """Prefect marks a step whose result it had with an event."""
    scope = span.instrumentation_scope
    return scope is not None and scope.name == "prefect" and any(event.name == "Cached" for event in span.events)
