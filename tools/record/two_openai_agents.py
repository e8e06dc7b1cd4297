# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "openai-agents==0.24.0", "openinference-instrumentation-openai-agents==2.6.0", "logfire==5.4.0",
#   "opentelemetry-instrumentation-openai-agents==0.62.4",
#   "opentelemetry-instrumentation-genai-openai-agents==1.3b0",
#   "opentelemetry-exporter-otlp-proto-common", "opentelemetry-sdk",
# ]
# ///
"""Record one agent of OpenAI Agents under two instrumentations at once. Usage: uv run --script FILE OUT."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import logfire
from agents import set_trace_processors
from openai_agents_stories import record
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor as OpenInference
from opentelemetry.instrumentation.genai.openai_agents import OpenAIAgentsInstrumentor as Official
from opentelemetry.instrumentation.openai_agents import OpenAIAgentsInstrumentor as Traceloop
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from recording import Stories

os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "span_only"
os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental"
PACKAGES = {
    "genai": "opentelemetry-instrumentation-genai-openai-agents",
    "logfire": "logfire",
    "openinference": "openinference-instrumentation-openai-agents",
    "traceloop": "opentelemetry-instrumentation-openai-agents",
}
PAIRS = (
    ("logfire", "openinference"),
    ("openinference", "logfire"),
    ("traceloop", "openinference"),
    ("genai", "logfire"),
)


def with_logfire() -> None:
    exported = SimpleSpanProcessor(stories.exporter)
    logfire.configure(send_to_logfire=False, console=False, service_name="clerk", additional_span_processors=[exported])
    logfire.instrument_openai_agents()


if len(sys.argv) < 3:  # what one pair leaves behind must not meet the next
    for pair in PAIRS:
        subprocess.run([sys.executable, *sys.argv, *pair], check=True)
else:
    first, second = sys.argv[2:]
    folder = f"{first}-and-{second}-openai-agents"
    stories = Stories(Path(sys.argv[1]), folder, PACKAGES[first], PACKAGES[second], "openai-agents")
    switches: dict[str, Callable[[], object]] = {
        "genai": lambda: Official().instrument(tracer_provider=stories.provider),
        "logfire": with_logfire,
        "openinference": lambda: OpenInference().instrument(tracer_provider=stories.provider),
        "traceloop": lambda: Traceloop().instrument(tracer_provider=stories.provider),
    }
    set_trace_processors([])
    switches[first]()
    switches[second]()
    record(stories)
