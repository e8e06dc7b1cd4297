# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "openai-agents==0.24.0", "logfire==5.4.0",
#   "opentelemetry-exporter-otlp-proto-common", "opentelemetry-sdk",
# ]
# ///
"""Record what Logfire's instrumentation of OpenAI Agents emits. Usage: uv run --script FILE OUT."""

from __future__ import annotations

import sys
from pathlib import Path

import logfire
from agents import set_trace_processors
from openai_agents_stories import record
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from recording import Stories

stories = Stories(Path(sys.argv[1]), "logfire-openai-agents", "logfire", "openai-agents")
logfire.configure(
    send_to_logfire=False,
    console=False,
    service_name="clerk",
    additional_span_processors=[SimpleSpanProcessor(stories.exporter)],
)
set_trace_processors([])
logfire.instrument_openai_agents()
record(stories)
