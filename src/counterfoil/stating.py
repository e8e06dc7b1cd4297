"""Saying in code what an operation is, and what the target named: for tools, queue workers and webhook handlers.

What is said goes onto the span that is open, or onto a short one of its own where none is recorded; and, if
``COUNTERFOIL_LEDGER`` names a durable ledger, into that ledger, the intent before the body runs. The settings are read
once, when they are first needed. Nothing in here raises of its own accord: a name that can't be used (empty, or longer
than 1,024 characters) is left out by whoever reads it. Writing waits for a ledger that others hold, 0.25 s at most;
on an asyncio event loop write ``async with operation(…)``, and the loop waits for nothing. `record_effect` holds a loop
up for 20 ms at most, `record_intent` may be called in a thread (``asyncio.to_thread``).
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, contextmanager
from typing import Any

from opentelemetry import trace
from opentelemetry.trace import Span, Status, StatusCode
from opentelemetry.util.types import AttributeValue

from counterfoil import names
from counterfoil.facts import PROVIDER_RECEIPT, Effect, Intent
from counterfoil.reading.hashing import fingerprint, payload_hash
from counterfoil.stated import Stated, current, current_operation, in_force, settings
from counterfoil.stated_ledger import keep, keep_soon, kept

__all__ = ["current_operation", "operation", "record_effect", "record_intent", "record_waiting"]

_SCOPE = "counterfoil.stating"  # not ours alone: what has our own scope is never read back

ON_A_SPAN: Mapping[str, str] = {
    "operation_id": names.OPERATION_ID,
    "side_effect": names.SIDE_EFFECT,
    "intent_ref": names.INTENT_REF,
    "expected_count": names.EXPECTED_COUNT,
    "payload_hash": names.REQUEST_HASH,
    "key_scope": names.KEY_SCOPE,
    "effect_ref": names.EFFECT_REF,
    "source": names.EFFECT_SOURCE,
    "authoritative": names.EFFECT_AUTHORITATIVE,
    "count": names.EFFECT_COUNT,
    "stage": names.EFFECT_STAGE,
}
"""The fields of an intent and of an effect, by the names under which a span shows them."""


class Carried(AbstractContextManager[Stated], AbstractAsyncContextManager[Stated]):
    """One operation that is about to be carried out, in a ``with`` or an ``async with``, once."""

    def __init__(self, intent: Intent, stated: Stated) -> None:
        self._ways = _carried(intent, stated), _carried_on_a_loop(intent, stated)

    def __enter__(self) -> Stated:
        return self._ways[0].__enter__()

    def __exit__(self, *raised: Any) -> bool | None:
        return self._ways[0].__exit__(*raised)

    async def __aenter__(self) -> Stated:
        return await self._ways[1].__aenter__()

    async def __aexit__(self, *raised: Any) -> bool | None:
        return await self._ways[1].__aexit__(*raised)


def operation(
    operation_id: str,
    *,
    tool: str | None = None,
    side_effect: bool = True,
    intent_ref: str | None = None,
    expected_count: int | None = None,
    idempotency_key: str | None = None,
    key_scope: str | None = None,
    request: object = None,
) -> Carried:
    """Carry out one operation: ``with operation("refund:order-7") as op: …``, or ``async with``.

    ``request`` is hashed and let go. What the body raises goes on; it says nothing about the effect.
    """
    intent = _intent(operation_id, tool, side_effect, intent_ref, expected_count, request, key_scope)
    return Carried(intent, Stated(operation_id, tool, intent_ref, idempotency_key))


@contextmanager
def _carried(intent: Intent, stated: Stated) -> Iterator[Stated]:
    with _span_for(intent) as span:
        keep([intent])
        with in_force(stated):
            try:
                yield stated
            finally:
                span.set_attributes(stated.said(settings().hash_key))
                keep_soon(stated.effects(intent.payload_hash))


@asynccontextmanager
async def _carried_on_a_loop(intent: Intent, stated: Stated) -> AsyncIterator[Stated]:
    """The same, but that waiting for the ledger leaves the loop to others."""
    with _span_for(intent) as span:
        await kept([intent])
        with in_force(stated):
            try:
                yield stated
            finally:
                span.set_attributes(stated.said(settings().hash_key))
                await kept(stated.effects(intent.payload_hash))


def record_intent(
    operation_id: str,
    *,
    tool: str | None = None,
    side_effect: bool = True,
    intent_ref: str | None = None,
    expected_count: int | None = None,
    request: object = None,
    key_scope: str | None = None,
) -> None:
    """Say that this is going to be done, by whoever: a queue's worker, another service."""
    intent = _intent(operation_id, tool, side_effect, intent_ref, expected_count, request, key_scope)
    with _span_for(intent):
        keep([intent])


def record_waiting(
    operation_id: str,
    *,
    owner: str,
    decision: str,
    within_s: float | None = None,
    resume_token: str | None = None,
) -> None:
    """Say that this waits for a person: who decides, what, for how long at most, and by what it is carried on.

    Past ``within_s`` it is stalled. Of ``resume_token`` a fingerprint is kept. It ends when the operation is approved,
    denied, carried out, or settled by ``counterfoil resolve``. Only a ledger keeps it: without ``COUNTERFOIL_LEDGER``
    nothing is said.
    """
    token = fingerprint(resume_token, settings().hash_key) if resume_token is not None else None
    waits = Intent(
        operation_id=operation_id,
        observed_at=time.time_ns(),
        waits_for=owner,
        decision=decision,
        wait_s=within_s,
        resume_token=token,
    )
    keep([waits])


def record_effect(
    effect_ref: str | None,
    *,
    operation_id: str | None = None,
    source: str = PROVIDER_RECEIPT,
    authoritative: bool = True,
    count: int | None = None,
    stage: str | None = None,
) -> None:
    """Say what the target holds. ``operation_id``: by default the current operation's; without one nothing is said.

    ``count`` with no ``effect_ref``: how many a look found in all. 0 is absence, if the source is authoritative.
    """
    known = current.get()
    name = operation_id or (known.operation_id if known is not None else None)
    if name is None:
        return
    effect = Effect(
        operation_id=name,
        observed_at=time.time_ns(),
        source=source,
        effect_ref=effect_ref,
        count=count,
        authoritative=authoritative,
        stage=stage,
    )
    with _own_span("effect", _attributes(effect)):
        keep_soon([effect])


def _intent(  # noqa: PLR0917 -- both callers have them as keywords
    operation_id: str,
    tool: str | None,
    side_effect: bool,
    intent_ref: str | None,
    expected_count: int | None,
    request: object,
    key_scope: str | None,
) -> Intent:
    """What is meant, as of now, and how long the settings say that the target lags. Of the request a hash is kept."""
    return Intent(
        operation_id=operation_id,
        observed_at=time.time_ns(),
        tool=tool,
        side_effect=side_effect,
        intent_ref=intent_ref,
        expected_count=expected_count,
        payload_hash=payload_hash(request, settings().hash_key) if request is not None else None,
        key_scope=key_scope,
        settle_after_s=settings().tool(tool).settle_after_s,
    )


def _attributes(fact: Intent | Effect) -> dict[str, AttributeValue]:
    """What a span says of a fact: those of its fields that are set and have a name on the wire."""
    said = ((name, getattr(fact, field, None)) for field, name in ON_A_SPAN.items())
    return {name: value for name, value in said if value is not None}


@contextmanager
def _span_for(intent: Intent) -> Iterator[Span]:
    """The span that is open, if it is recorded and nobody's operation yet; else one of the intent's own."""
    attributes = _attributes(intent)
    tool = {names.TOOL_NAME: intent.tool} if intent.tool is not None else {}
    span, outer = trace.get_current_span(), current.get()
    known = getattr(span, "attributes", None) or {}
    taken = known.get(names.OPERATION_ID, intent.operation_id)
    if span.is_recording() and taken == intent.operation_id == (outer or intent).operation_id:
        span.set_attributes(attributes if names.TOOL_NAME in known else {**tool, **attributes})
        yield span
        return
    attributes = {**tool, **attributes}
    with _own_span(f"operation {intent.tool or ''}".strip(), attributes) as own:
        yield own


@contextmanager
def _own_span(name: str, attributes: Mapping[str, AttributeValue]) -> Iterator[Span]:
    """A failure is told by its type only: the message may hold content."""
    tracer = trace.get_tracer(_SCOPE)
    with tracer.start_as_current_span(
        name, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as span:
        try:
            yield span
        except BaseException as error:
            span.set_status(Status(StatusCode.ERROR))
            span.set_attribute(names.ERROR_TYPE, type(error).__name__)
            raise
