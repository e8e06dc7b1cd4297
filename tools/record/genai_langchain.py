# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "langchain==1.5.2", "opentelemetry-instrumentation-genai-langchain==1.3b0",
#   "opentelemetry-exporter-otlp-proto-common", "opentelemetry-sdk",
# ]
# ///
"""Record what OpenTelemetry's own instrumentation of LangChain emits. Usage: uv run --script FILE OUT."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from pathlib import Path

from langchain_stories import record
from opentelemetry.instrumentation.genai.langchain import LangChainInstrumentor
from recording import Stories

CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental"
stories = Stories(
    Path(sys.argv[1]), "genai-langchain", "opentelemetry-instrumentation-genai-langchain", "langchain", "langgraph"
)
for content, suffix in (("span_only", ""), ("no_content", "-content-off")):
    os.environ[CONTENT] = content
    instrumentor = LangChainInstrumentor()
    instrumentor.instrument(tracer_provider=stories.provider)
    record(stories, suffix=suffix, each=nullcontext)
    instrumentor.uninstrument()
