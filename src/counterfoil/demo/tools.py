"""The agent's tools: small HTTP clients of the provider, written as such tools usually are.

What they say for Counterfoil is in `_name` and `_receipt`: which operation this is, and which object the provider
handed out. Keys and transport are read from the HTTP spans. Where a tool is careless (a new key for each retry, a body
that nobody looks at), that is the story, and none of it is announced.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass

import httpx
from opentelemetry import trace
from pydantic_ai import RunContext
from pydantic_ai.exceptions import ToolFailed

from counterfoil import names

Made = dict[str, object]


@dataclass(frozen=True, slots=True)
class Client:
    """How the tools talk to the provider. ``patience_s`` is the limit for one answer, in seconds."""

    http: httpx.AsyncClient
    patience_s: float = 10.0
    attempts: int = 1
    new_key_per_attempt: bool = False


async def charge_card(ctx: RunContext[Client], order: str, amount: int) -> Made:
    """Charge the card on file for an order, in cents."""
    return await _create(ctx, "payments", order, {"amount": amount, "currency": "EUR"})


async def create_ticket(ctx: RunContext[Client], case: str, project: str) -> Made:
    """Open a ticket for a case in a project."""
    return await _create(ctx, "tickets", case, {"project": project})


async def send_mail(ctx: RunContext[Client], letter: str, to: str) -> Made:
    """Send a letter by mail."""
    return await _create(ctx, "mail", letter, {"to": to})


async def find_payments(ctx: RunContext[Client], order: str) -> Made:
    """List the payments of an order."""
    _name(ctx, order, side_effect=False)
    answer = await ctx.deps.http.get("/v1/payments", params={"reference": order}, timeout=ctx.deps.patience_s)
    found: Made = answer.raise_for_status().json()
    return found


async def _create(ctx: RunContext[Client], resource: str, reference: str, body: Made) -> Made:
    """Ask for one object, and again if the answer is lost and the client's rules allow it."""
    client = ctx.deps
    _name(ctx, reference)
    problem = ""
    for _ in range(client.attempts):
        key = str(uuid.uuid4()) if client.new_key_per_attempt else f"{ctx.tool_name}-{reference}"
        try:
            answer = await client.http.post(
                f"/v1/{resource}",
                json={"reference": reference, **body},
                headers={"Idempotency-Key": key},
                timeout=client.patience_s,
            )
        except httpx.TransportError as error:
            problem = type(error).__name__
            continue
        if answer.is_success:
            return _receipt(answer)
        problem = f"HTTP {answer.status_code}"
    raise ToolFailed(f"{ctx.tool_name} failed: {problem}")


def _name(ctx: RunContext[Client], reference: str, *, side_effect: bool = True) -> None:
    """Name the operation after what it is for: a retry of the model or of the client is the same operation."""
    span = trace.get_current_span()
    span.set_attribute(names.OPERATION_ID, operation_id(str(ctx.tool_name), reference))
    span.set_attribute(names.SIDE_EFFECT, side_effect)


def operation_id(tool: str, reference: str) -> str:
    return f"{tool}:{reference}"


def _receipt(answer: httpx.Response) -> Made:
    """Put the provider's name for what it made on the tool's span. An answer of 202 names a promise, not an object."""
    made: Made = answer.json()
    if answer.status_code == 201:
        trace.get_current_span().set_attributes(
            {
                names.EFFECT_REF: str(made["id"]),
                names.EFFECT_SOURCE: "provider_receipt",
                names.EFFECT_AUTHORITATIVE: True,
            }
        )
    return made
