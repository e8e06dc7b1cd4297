"""What every application in here does: one call of a tool, for which the provider gives a receipt."""

import os
from typing import Any

from opentelemetry import trace


def charge(provider: Any = None, number: int = 1) -> str:
    """Charge once, and return the operation's name. It is another one in every process."""
    operation = f"order-{os.getpid()}-{number}"
    tracer = trace.get_tracer("shop", tracer_provider=provider)
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "charge",
        "gen_ai.tool.call.id": f"call-{number}",
        "gen_ai.tool.call.arguments": '{"amount": 5}',
        "counterfoil.operation.id": operation,
    }
    with tracer.start_as_current_span("execute_tool charge", attributes=attributes) as span:
        span.set_attribute("gen_ai.tool.call.result", '{"id": "ch_1"}')
        span.set_attribute("counterfoil.effect.ref", f"ch-{operation}")
        span.set_attribute("counterfoil.effect.source", "provider_receipt")
        span.set_attribute("counterfoil.effect.authoritative", True)
    return operation
