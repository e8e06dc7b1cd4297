"""A look at the provider's book, put into telemetry as a probe: the span is open while the provider is asked."""

from __future__ import annotations

import httpx
from opentelemetry import trace

from counterfoil.probing.question import Question
from counterfoil.probing.resolving import contract_of
from prove.plan import Plan

PLACES = {"cached": "cached/", "lagging": "lagging/"}
"""What is asked instead of the book: a cache, which isn't believed, and a read model, which is."""

EXPECT = "project == 'shop'"
"""The outcome contract, as settings would have it."""


async def look(http: httpx.AsyncClient, plan: Plan, operation: str) -> None:
    """Count what is held for one operation. Where the provider doesn't answer, nobody has looked."""
    path = f"/{PLACES.get(plan.look, '')}{plan.contract}/account/{plan.resource}"
    about: dict[str, str | bool] = {
        "counterfoil.operation.id": operation,
        "counterfoil.effect.source": "probe",
        "counterfoil.effect.authoritative": plan.look != "cached",
    }
    with trace.get_tracer("prove.desk").start_as_current_span(f"count {plan.resource}", attributes=about) as span:
        try:
            answer = await http.get(path, params={"reference": operation}, timeout=30)
        except httpx.TransportError:
            return
        if not answer.is_success:
            return
        found = answer.json()["objects"]
        span.set_attribute("counterfoil.effect.count", len(found))
        if plan.look == "contract" and len(found) == 1:
            conforms, _ = contract_of(EXPECT)(found[0], Question(operation_id=operation))
            if conforms is not None:
                span.set_attribute("counterfoil.effect.conforms", conforms)
