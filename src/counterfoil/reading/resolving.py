"""A call with all that happened below it, as facts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from counterfoil.config import ToolConfig
from counterfoil.facts import ACCEPTED, PROVIDER_RECEIPT, Attempt, Claim, Effect, Fact, Intent, Reported
from counterfoil.reading.attempts import Choice, call_attempt, choose, dispatch_attempts, key_of, views
from counterfoil.reading.calls import Call, CallEnd, Dispatched, Resolved, Shown
from counterfoil.reading.naming import KEYED, Names
from counterfoil.reading.own import effects_of
from counterfoil.reading.views import hex_ids


def resolve(call: Call, end: CallEnd, tool: ToolConfig, names: Names) -> list[Fact]:
    """Name the call, and say what it meant, sent and showed. After that, only what comes late is added to it."""
    operation_id, source = names.of(call, end)
    choice = choose(one for one in call.dispatches if one.declared in (None, operation_id))
    expected = _expected(call, tool, choice)
    about = {"operation_id": operation_id, "process": call.process, "expected_count": expected}
    facts: list[Fact] = []
    attempts = _attempts(call, choice, end, about | {"id_source": source})
    if call.tool is not None or attempts or _says_more(call):
        facts.append(intent_of(call, tool, about, source, end=end, keyed=choice))
    facts += attempts
    facts += _receipts(call, choice, end, tool, about)
    for shown in call.shown:
        facts += shown_facts(shown, operation_id, expected)
    for other in dict.fromkeys(one.declared for one in call.dispatches if one.declared not in (None, operation_id)):
        facts += _elsewhere(call, str(other), end)
    attempt_id = attempts[0].attempt_id if attempts else None
    call.resolved = Resolved(operation_id, source, choice.target, attempt_id)
    call.dispatches, call.shown = [one for one in call.dispatches if one.ended_at is None], []
    return facts


def intent_of(
    call: Call,
    tool: ToolConfig,
    about: dict[str, Any],
    source: str | None,
    *,
    end: CallEnd | None = None,
    keyed: Choice | None = None,
) -> Intent:
    """What was meant. A call that waits for approval, or that a guard held, has not begun in this run: the run that
    carries it out counts."""
    said, request, made = call.said, call.request, call.tool
    trace_id, span_id = hex_ids(call.ids)
    deferred = end is not None and (end.executed is False or said.executed is False)
    key = said.idempotency_key or request.idempotency_key
    scope = said.key_scope if key is not None else None
    if key is None and source == KEYED and keyed is not None:
        first = next(one for one in keyed.parts if one.key is not None)
        key, scope = first.key, said.key_scope or first.target.server or None
    side_effect = said.side_effect if said.side_effect is not None else tool.side_effect
    if side_effect is None and call.delegates and not call.dispatches:
        side_effect = False  # it hands on to an agent, whose own calls are judged
    return Intent(
        **about,
        observed_at=call.started_at,
        trace_id=trace_id,
        span_id=span_id,
        tool=call.name,
        side_effect=side_effect,
        payload_hash=None if made is None and said.has_effect else said.request_hash or request.payload_hash,
        idempotency_key=key,
        key_scope=scope,
        key_ttl_s=tool.key_ttl_s,
        settle_after_s=tool.settle_after_s,
        intent_ref=said.intent_ref or request.intent_ref or (end.intent_ref if end else None),
        idempotent_hint=True if tool.idempotent else None,
        hint_trusted=True if tool.idempotent else None,
        id_source=source,
        tool_call_id=made.call_id if made else None,
        run_id=made.run_id if made and not deferred else None,
        conversation_id=made.conversation_id if made else None,
        agent=made.agent if made else None,
    )


def late_request(call: Call, one: Dispatched) -> list[Fact]:
    """A request that ended after its call did. One to a target that the call's attempts did not go to is none."""
    known = call.resolved
    if known is None:
        return []
    about: dict[str, Any] = {"operation_id": known.operation_id, "id_source": known.id_source}
    if one.declared not in (None, known.operation_id):
        return list(views(one, {"operation_id": one.declared}, key_of(one, None, captured=False)))
    if known.target == one.target:
        return list(views(one, about, payload_of(call) | key_of(one, call.said.key_scope, captured=False)))
    if known.target is None and known.attempt_id is not None and one.ending is not None and one.ended_at is not None:
        trace_id, span_id = hex_ids(one.ids)  # the call was its own attempt: this is more of the same one
        return [
            Attempt(
                **about,
                attempt_id=known.attempt_id,
                observed_at=one.ended_at,
                process=one.process,
                trace_id=trace_id,
                span_id=span_id,
                transport=one.ending.transport,
                http_status=one.ending.http_status,
            )
        ]
    return []


def shown_facts(shown: Shown, operation_id: str, expected: int | None = None) -> list[Fact]:
    """The effects of a span, or its claim, for the operation that it belongs to."""
    trace_id, span_id = hex_ids(shown.ids)
    expected = shown.said.expected_count or expected
    where: dict[str, Any] = {"process": shown.process, "trace_id": trace_id, "span_id": span_id}
    where["expected_count"] = expected if expected != 1 else None
    facts: list[Fact] = []
    if shown.said.has_effect:
        facts += effects_of(shown.said, operation_id, started_at=shown.started_at, ended_at=shown.ended_at, **where)
    if shown.is_claim and shown.said.reported is not None:
        facts.append(
            Claim(operation_id=operation_id, observed_at=shown.ended_at, reported=shown.said.reported, **where)
        )
    return facts


def _attempts(call: Call, choice: Choice, end: CallEnd, about: dict[str, Any]) -> list[Attempt]:
    if choice.target is not None:
        return dispatch_attempts(call, choice, end, about, payload_of(call))
    if call.tool is not None or choice.parts:
        return call_attempt(call, choice, end, about, payload_of(call))
    return []


def payload_of(call: Call) -> dict[str, Any]:
    hashed = call.said.request_hash or call.request.payload_hash
    made = call.tool
    return {
        "payload_hash": hashed,
        "payload_state": None if hashed is not None else call.request.state,
        "scope": call.scope if made else None,
        "tool_call_id": made.call_id if made else None,
        "run_id": made.run_id if made else None,
        "replay": call.replay or None,
        "advice": call.said.advice or call.advice,
    }


def _expected(call: Call, tool: ToolConfig, choice: Choice) -> int | None:
    """How many effects there should be, where that isn't one: as somebody says, or one for each part of a batch."""
    expected = call.said.expected_count or tool.expected_count or choice.expected
    return expected if expected is not None and expected > 1 else None


def _says_more(call: Call) -> bool:
    """A span that is no tool's and sends nothing is an intent's only if it says something that only an intent can."""
    said = call.said
    meant = (said.side_effect, said.idempotency_key) if not said.has_effect else ()
    return any(value is not None for value in (said.intent_ref, *meant))


def _receipts(call: Call, choice: Choice, end: CallEnd, tool: ToolConfig, about: dict[str, Any]) -> Iterable[Effect]:
    """The references that an operator says the provider's answers name. An answer is only believed if it is clean, and
    a 202 is a promise, unless the operator says what this tool's answers are."""
    answered = [one for one in choice.parts if one.is_clean and one.refs]
    for one in answered:
        trace_id, span_id = hex_ids(one.ids)
        status = one.ending.http_status if one.ending is not None else None
        for ref in one.refs:
            yield Effect(
                **about | {"process": one.process},
                observed_at=one.ended_at or one.started_at,
                trace_id=trace_id,
                span_id=span_id,
                source=PROVIDER_RECEIPT,
                effect_ref=ref,
                authoritative=True,
                stage=tool.effect_stage or (ACCEPTED if status == 202 else None),
                replayed=True if one.replayed else None,
            )
    if end.at is not None and (end.reported or call.said.reported) is Reported.SUCCESS:
        trace_id, span_id = hex_ids(call.ids)
        clean = [one.ending.http_status for one in choice.parts if one.ending is not None and one.is_clean]
        promised = bool(clean) and all(status == 202 for status in clean)
        for ref in end.refs:
            yield Effect(
                **about,
                observed_at=end.at,
                trace_id=trace_id,
                span_id=span_id,
                source=PROVIDER_RECEIPT,
                effect_ref=ref,
                authoritative=True,
                stage=tool.effect_stage or (ACCEPTED if promised else None),
            )


def _elsewhere(call: Call, operation_id: str, end: CallEnd) -> list[Fact]:
    """Requests below the call that were declared for another operation are that one's attempts."""
    choice = choose(one for one in call.dispatches if one.declared == operation_id)
    about = {"operation_id": operation_id, "process": call.process}
    if choice.target is None:
        return list(call_attempt(call, choice, end, about, {}))
    bare = {"scope": None}
    return [
        fact
        for one in choice.parts
        for fact in views(one, about, bare | key_of(one, None, captured=False), abandoned=end.at is None)
    ]
