# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "langchain==1.5.2", "opentelemetry-instrumentation-langchain==0.62.4",
#   "opentelemetry-exporter-otlp-proto-common", "opentelemetry-sdk",
# ]
# ///
"""Record what Traceloop's instrumentation of LangChain emits. Usage: uv run --script FILE OUT."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from pathlib import Path

from langchain_stories import record
from opentelemetry.instrumentation.langchain import LangchainInstrumentor
from recording import Stories

stories = Stories(
    Path(sys.argv[1]), "traceloop-langchain", "opentelemetry-instrumentation-langchain", "langchain", "langgraph"
)
for content, suffix in (("true", ""), ("false", "-content-off")):
    os.environ["TRACELOOP_TRACE_CONTENT"] = content
    instrumentor = LangchainInstrumentor()
    instrumentor.instrument(tracer_provider=stories.provider)
    record(stories, suffix=suffix, each=nullcontext)
    instrumentor.uninstrument()
