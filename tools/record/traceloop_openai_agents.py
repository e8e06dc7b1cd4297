# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "openai-agents==0.24.0", "opentelemetry-instrumentation-openai-agents==0.62.4",
#   "opentelemetry-exporter-otlp-proto-common", "opentelemetry-sdk",
# ]
# ///
"""Record what Traceloop's instrumentation of OpenAI Agents emits. Usage: uv run --script FILE OUT."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from agents import set_trace_processors
from openai_agents_stories import record
from opentelemetry.instrumentation.openai_agents import OpenAIAgentsInstrumentor
from recording import Stories

stories = Stories(
    Path(sys.argv[1]), "traceloop-openai-agents", "opentelemetry-instrumentation-openai-agents", "openai-agents"
)
for content, suffix in (("true", ""), ("false", "-content-off")):
    os.environ["TRACELOOP_TRACE_CONTENT"] = content
    set_trace_processors([])
    instrumentor = OpenAIAgentsInstrumentor()
    instrumentor.instrument(tracer_provider=stories.provider)
    record(stories, suffix=suffix)
    instrumentor.uninstrument()
