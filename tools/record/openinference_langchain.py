# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "langchain==1.5.2", "openinference-instrumentation-langchain==0.1.80",
#   "opentelemetry-exporter-otlp-proto-common", "opentelemetry-sdk",
# ]
# ///
"""Record what OpenInference's instrumentation of LangChain emits. Usage: uv run --script FILE OUT."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path

from langchain_stories import record
from openinference.instrumentation import TraceConfig
from openinference.instrumentation.langchain import LangChainInstrumentor
from recording import Stories

stories = Stories(
    Path(sys.argv[1]), "openinference-langchain", "openinference-instrumentation-langchain", "langchain", "langgraph"
)
for config, suffix in ((TraceConfig(), ""), (TraceConfig(hide_inputs=True, hide_outputs=True), "-content-off")):
    instrumentor = LangChainInstrumentor()
    instrumentor.instrument(tracer_provider=stories.provider, config=config)
    record(stories, suffix=suffix, each=nullcontext)
    instrumentor.uninstrument()
