"""Which operation a tool's call is, worked out inside the agent as the reader of its span works it out.

The hash is of the arguments as the model sent them: those are what the span shows and what a stored message holds.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from opentelemetry.trace import Span, format_span_id, format_trace_id
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.tools import RunContext

from counterfoil.config import Config, Lookup, Place
from counterfoil.facts import Intent
from counterfoil.pydantic_ai.declaring import Declared, complain
from counterfoil.reading.hashing import fingerprint
from counterfoil.reading.identity import derived_operation_id
from counterfoil.reading.naming import BY_CALL, BY_SPAN
from counterfoil.reading.requests import document_of, first_name, request_of
from counterfoil.reading.values import text


@dataclass(slots=True, kw_only=True)
class Call:
    """One call and the name of its operation. ``id_source`` is None where somebody declared that; ``stated_at`` is when
    its intent was, in nanoseconds since 1970, and 0 before."""

    operation_id: str
    id_source: str | None
    tool: str
    payload_hash: str | None
    intent_ref: str | None
    tool_call_id: str | None
    run_id: str | None
    conversation_id: str | None
    agent: str | None
    approved: bool
    span: str | None  # trace and span id, as the reader names an attempt
    stated_at: int = 0
    advice: str | None = None  # whether an advisor was asked, where that is required

    def intent(self, declared: Declared) -> Intent:
        """That it is about to be carried out. An approved call was begun by another run, which the intent leaves open
        so that a derived name isn't taken for that of two calls."""
        trace_id, _, span_id = (self.span or "").partition("/")
        trusted = True if declared.tool.idempotent else None
        self.stated_at = time.time_ns()
        return Intent(
            operation_id=self.operation_id,
            observed_at=self.stated_at,
            trace_id=trace_id or None,
            span_id=span_id or None,
            expected_count=declared.tool.expected_count,
            tool=self.tool,
            side_effect=declared.side_effect is not False,
            payload_hash=self.payload_hash,
            key_scope=declared.tool.key_scope,
            key_ttl_s=declared.tool.key_ttl_s,
            settle_after_s=declared.tool.settle_after_s,
            intent_ref=self.intent_ref,
            approved=True if self.approved else None,
            idempotent_hint=trusted or declared.idempotent_hint,
            hint_trusted=trusted,
            id_source=self.id_source,
            tool_call_id=self.tool_call_id,
            run_id=None if self.approved else self.run_id,
            conversation_id=self.conversation_id,
            agent=self.agent,
        )

    def waiting(self, declared: Declared, secret: bytes | None) -> Intent:
        """That it waits for a person. The deferred call's id, fingerprinted, is what it is resumed by."""
        token = fingerprint(self.tool_call_id, secret) if self.tool_call_id is not None else None
        return Intent(
            operation_id=self.operation_id,
            observed_at=time.time_ns(),
            waits_for=declared.owner,
            decision="whether it may be repeated",
            wait_s=declared.wait_s,
            resume_token=token,
        )


def call_of(
    ctx: RunContext[Any],
    call: ToolCallPart,
    declared: Declared,
    args: Mapping[str, Any],
    *,
    config: Config,
    span: Span,
) -> Call:
    """Declared beats derived; where neither can be made, the name stands for this one dispatch alone."""
    raw = call.args_as_json_str()
    request = request_of(raw, declared.tool, config.hash_key)
    name, source = _declared(call.tool_name, declared, args, raw) or request.operation_id, None
    context = span.get_span_context()
    where = f"{format_trace_id(context.trace_id)}/{format_span_id(context.span_id)}" if span.is_recording() else None
    if name is None and request.payload_hash is not None:
        name, source = derived_operation_id(ctx.conversation_id, call.tool_call_id, request.payload_hash), BY_CALL
    if name is None:
        name, source = "span:" + (where or uuid.uuid4().hex).replace("/", ""), BY_SPAN
    return Call(
        operation_id=name,
        id_source=source,
        tool=call.tool_name,
        payload_hash=request.payload_hash,
        intent_ref=request.intent_ref,
        tool_call_id=call.tool_call_id,
        run_id=ctx.run_id,
        conversation_id=ctx.conversation_id,
        agent=ctx.agent.name if ctx.agent is not None else None,
        approved=ctx.tool_call_approved,
        span=where,
    )


def _declared(tool: str, declared: Declared, args: Mapping[str, Any], raw: str) -> str | None:
    how = declared.operation_id
    if how is None:
        return None
    if isinstance(how, Lookup):
        return first_name(how, {Place.ARGUMENTS: document_of(raw)})
    try:
        return text(how(args))
    except Exception as error:
        complain(tool, f"its operation could not be named: {type(error).__name__}")
        return None
