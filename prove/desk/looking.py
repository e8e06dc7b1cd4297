"""A look at the provider's book, put into telemetry as a probe: the span is open while the provider is asked."""

from __future__ import annotations

import httpx
from opentelemetry import trace

from prove.plan import Plan

READ_LAG_S = 0.0
"""The book itself is asked, which does not lag; a cache lags by more than a run takes, and isn't believed."""


async def look(http: httpx.AsyncClient, plan: Plan, operation: str) -> None:
    """Count what is held for one operation. Where the provider doesn't answer, nobody has looked."""
    cached = plan.look == "cached"
    path = f"/{'cached/' if cached else ''}{plan.contract}/account/{plan.resource}"
    about: dict[str, str | bool] = {
        "counterfoil.operation.id": operation,
        "counterfoil.effect.source": "probe",
        "counterfoil.effect.authoritative": not cached,
    }
    with trace.get_tracer("prove.desk").start_as_current_span(f"count {plan.resource}", attributes=about) as span:
        try:
            answer = await http.get(path, params={"reference": operation}, timeout=30)
        except httpx.TransportError:
            return
        if answer.is_success:
            span.set_attribute("counterfoil.effect.count", int(answer.json()["count"]))
