"""An agent on a host of its own: pays once, and counterfoil is attached. What it sends is the environment's to say."""

import sys

from opentelemetry.sdk.trace import TracerProvider

from counterfoil.processor import attach

provider = TracerProvider()
attach(provider)
tracer = provider.get_tracer("agent")
operation, reference = sys.argv[1:3]
said = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "charge_card",
    "counterfoil.operation.id": operation,
    "counterfoil.idempotency_key": f"key-of-{reference}",
}
with tracer.start_as_current_span("execute_tool charge_card", attributes=said) as span:
    span.set_attribute("counterfoil.effect.ref", reference)
    span.set_attribute("counterfoil.effect.source", "provider_receipt")
    span.set_attribute("counterfoil.effect.authoritative", True)
