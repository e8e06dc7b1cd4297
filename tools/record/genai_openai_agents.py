# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "openai-agents==0.24.0", "opentelemetry-instrumentation-genai-openai-agents==1.3b0",
#   "opentelemetry-exporter-otlp-proto-common", "opentelemetry-sdk",
# ]
# ///
"""Record what OpenTelemetry's own instrumentation of OpenAI Agents emits. Usage: uv run --script FILE OUT."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from agents import set_trace_processors
from openai_agents_stories import record
from opentelemetry.instrumentation.genai.openai_agents import OpenAIAgentsInstrumentor
from recording import Stories

os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental"
stories = Stories(
    Path(sys.argv[1]), "genai-openai-agents", "opentelemetry-instrumentation-genai-openai-agents", "openai-agents"
)
for content, suffix in (("span_only", ""), ("no_content", "-content-off")):
    os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = content
    set_trace_processors([])
    instrumentor = OpenAIAgentsInstrumentor()
    instrumentor.instrument(tracer_provider=stories.provider)
    record(stories, suffix=suffix)
    instrumentor.uninstrument()
