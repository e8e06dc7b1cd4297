"""One run of an agent that charges once: `shop.py PROVIDER ORDER [killed]`, with the ledger in the environment.

`killed`: the process ends by SIGKILL when the provider's answer has come, before anybody was told of it.
"""

import os
import signal
import sys

import httpx
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.httpx import HTTPXClientInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from pydantic_ai import Agent
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import counterfoil
from counterfoil.pydantic_ai import Counterfoil

place, order = sys.argv[1:3]
dies = "killed" in sys.argv


def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    if not any(isinstance(message, ModelResponse) for message in messages):
        return ModelResponse(parts=[ToolCallPart("charge", {"order": order})])
    return ModelResponse(parts=[TextPart("done")])


def answered(response: httpx.Response) -> None:
    if dies:
        os.kill(os.getpid(), signal.SIGKILL)


provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)
counterfoil.attach(provider)
HTTPXClientInstrumentor().instrument()
agent = Agent(FunctionModel(model), capabilities=[Instrumentation(), Counterfoil(guard="enforce")])


@agent.tool_plain(metadata={"counterfoil": {"operation_id": "order"}})
def charge(order: str) -> str:
    stated = counterfoil.current_operation()
    assert stated is not None
    with httpx.Client(event_hooks={"response": [answered]}) as client:
        key = {"Idempotency-Key": stated.idempotency_key}
        made = client.post(f"{place}/v1/payments", json={"reference": order, "cents": 4900}, headers=key)
    if made.status_code != 201:
        raise ToolFailed("the provider did not take it")
    return "charged"


run = agent.run_sync("go")
provider.shutdown()
for message in run.all_messages():
    for part in message.parts:
        if isinstance(part, ToolReturnPart):
            print(part.content)
