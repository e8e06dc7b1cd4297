"""An agent's process: one operation, declared, sent once. `killed`: it dies after the provider committed."""

import os
import signal
import sys

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import SpanKind

import counterfoil

operation, key, how = sys.argv[1:4]
provider = TracerProvider()
trace.set_tracer_provider(provider)
counterfoil.attach(provider)
tracer = trace.get_tracer("agent")
tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "charge", "counterfoil.operation.id": operation}
request = {
    "http.request.method": "POST",
    "url.full": "https://pay.example/charges",
    "server.address": "pay.example",
    "http.request.header.idempotency-key": (key,),
}
with tracer.start_as_current_span("execute_tool charge", attributes=tool) as span:
    with tracer.start_as_current_span("POST", kind=SpanKind.CLIENT, attributes=request) as call:
        if how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        call.set_attribute("http.response.status_code", 201)
    if how == "receipt":
        span.set_attribute("counterfoil.effect.ref", "pay_1")
        span.set_attribute("counterfoil.effect.authoritative", True)
    span.set_attribute("gen_ai.tool.call.result", "done")
provider.shutdown()
