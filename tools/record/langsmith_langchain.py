# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "langchain==1.5.2", "langsmith[otel]==0.15.1", "opentelemetry-exporter-otlp-proto-common", "opentelemetry-sdk",
# ]
# ///
"""Record what LangSmith's export to OpenTelemetry emits for a LangChain agent. Usage: uv run --script FILE OUT."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

os.environ |= {
    "LANGSMITH_TRACING": "true",
    "LANGSMITH_OTEL_ENABLED": "true",
    "LANGSMITH_OTEL_ONLY": "true",
    "LANGSMITH_API_KEY": "none",
    "LANGSMITH_ENDPOINT": "http://127.0.0.1:9",
}

from langchain_core.tracers.langchain import get_client, wait_for_all_tracers
from langchain_stories import record
from opentelemetry import trace
from recording import Stories

stories = Stories(Path(sys.argv[1]), "langsmith-langchain", "langsmith", "langchain", "langgraph")
trace.set_tracer_provider(stories.provider)


def wait() -> None:
    wait_for_all_tracers()
    get_client().flush()


stories.wait = wait
HIDE = ("LANGSMITH_HIDE_INPUTS", "LANGSMITH_HIDE_OUTPUTS")
hidden = HIDE[0] in os.environ
record(stories, suffix="-content-off" if hidden else "", each=nullcontext)
if not hidden:  # they are read once in a process
    subprocess.run([sys.executable, *sys.argv], env=os.environ | dict.fromkeys(HIDE, "true"), check=True)
