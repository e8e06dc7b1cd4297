# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "openai-agents==0.24.0", "openinference-instrumentation-openai-agents==2.6.0",
#   "opentelemetry-exporter-otlp-proto-common", "opentelemetry-sdk",
# ]
# ///
"""Record what OpenInference's instrumentation of OpenAI Agents emits. Usage: uv run --script FILE OUT."""

from __future__ import annotations

import sys
from pathlib import Path

from agents import set_trace_processors
from openai_agents_stories import record
from openinference.instrumentation import TraceConfig
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor
from recording import Stories

stories = Stories(
    Path(sys.argv[1]), "openinference-openai-agents", "openinference-instrumentation-openai-agents", "openai-agents"
)
for config, suffix in ((TraceConfig(), ""), (TraceConfig(hide_inputs=True, hide_outputs=True), "-content-off")):
    set_trace_processors([])
    instrumentor = OpenAIAgentsInstrumentor()
    instrumentor.instrument(tracer_provider=stories.provider, config=config)
    record(stories, suffix=suffix)
    instrumentor.uninstrument()
