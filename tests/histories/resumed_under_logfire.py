"""A process under Logfire that samples this share of its traces and resumes from an orphaned list: prints its spans.

resumed_under_logfire.py SHARE beside|inside|without
"""

import asyncio
import sys

import logfire
from opentelemetry import trace
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai import Agent
from pydantic_ai.messages import ToolCallPart

import counterfoil
from counterfoil.histories.pydantic_actors import payer, without
from counterfoil.pydantic_ai import Counterfoil

share, where = float(sys.argv[1]), sys.argv[2]
exported = InMemorySpanExporter()
ours = [counterfoil.CounterfoilProcessor()] if where == "inside" else []
logfire.configure(
    send_to_logfire=False,
    console=False,
    additional_span_processors=[*ours, SimpleSpanProcessor(exported)],
    sampling=logfire.SamplingOptions(head=share),
)
if where == "beside":
    counterfoil.attach(trace.get_tracer_provider())
logfire.instrument_pydantic_ai()

careful = Counterfoil(resume="tell", contract={"provenance": "server_store"})
agent = Agent(payer().model, name="payer", capabilities=[careful])
history = asyncio.run(payer().run("pay")).all_messages()
asyncio.run(agent.run("go on", message_history=without(ToolCallPart, history)))
for span in exported.get_finished_spans():
    print(span.name, (span.attributes or {}).get("counterfoil.history.verdict", ""))
