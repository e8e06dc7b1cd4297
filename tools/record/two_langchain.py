# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "langchain==1.5.2", "openinference-instrumentation-langchain==0.1.80",
#   "opentelemetry-instrumentation-genai-langchain==1.3b0", "opentelemetry-instrumentation-langchain==0.62.4",
#   "opentelemetry-exporter-otlp-proto-common", "opentelemetry-sdk",
# ]
# ///
"""Record one LangChain agent under two instrumentations at once. Usage: uv run --script FILE OUT."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from langchain_stories import record
from openinference.instrumentation.langchain import LangChainInstrumentor as OpenInference
from opentelemetry.instrumentation.genai.langchain import LangChainInstrumentor as Official
from opentelemetry.instrumentation.langchain import LangchainInstrumentor as Traceloop
from recording import Stories

os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "span_only"
os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental"
PACKAGES = {
    "openinference": (OpenInference, "openinference-instrumentation-langchain"),
    "traceloop": (Traceloop, "opentelemetry-instrumentation-langchain"),
    "genai": (Official, "opentelemetry-instrumentation-genai-langchain"),
}
PAIRS = (
    ("genai", "openinference", False),
    ("openinference", "genai", False),
    ("openinference", "traceloop", False),
    ("traceloop", "openinference", False),
    ("traceloop", "openinference", True),
)
"""The pairs that both tell of a call: of OpenTelemetry's own and Traceloop's, one alone does."""

for first, second, apart in PAIRS:
    folder = f"{first}-and-{second}-langchain" + ("-in-two-traces" if apart else "")
    both: list[tuple[Any, str]] = [PACKAGES[first], PACKAGES[second]]
    stories = Stories(Path(sys.argv[1]), folder, *(package for _, package in both), "langchain", "langgraph")
    instrumentors = [instrumentor() for instrumentor, _ in both]
    for instrumentor in instrumentors:
        more = {"separate_trace_from_runtime_context": True} if apart and second in str(type(instrumentor)) else {}
        instrumentor.instrument(tracer_provider=stories.provider, **more)
    record(stories, each=nullcontext)
    for instrumentor in instrumentors:
        instrumentor.uninstrument()
