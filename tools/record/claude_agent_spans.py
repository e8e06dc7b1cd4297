# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "claude-agent-sdk==0.2.189", "openinference-instrumentation-claude-agent-sdk==0.1.22",
#   "opentelemetry-exporter-otlp-proto-common", "opentelemetry-sdk",
# ]
# ///
"""Build what OpenInference emits for the Claude Agent SDK. Usage: uv run --script FILE OUT.

The SDK runs Claude Code, which has no scripted model. So the instrumentation's own tracker of tools, which is what
makes the spans, is told here what the hooks of Claude Code would tell it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from openinference.instrumentation.claude_agent_sdk._wrappers import _ToolSpanTracker
from recording import Stories

CALL: dict[str, Any] = {"order": "17", "amount": 5}
stories = Stories(
    Path(sys.argv[1]),
    "openinference-claude-agent-sdk",
    "openinference-instrumentation-claude-agent-sdk",
    "claude-agent-sdk",
)
stories.how = "built"
tracer = stories.provider.get_tracer("openinference.instrumentation.claude_agent_sdk")


def tell(name: str, *told: tuple[str, str]) -> None:
    """What becomes of the calls with these ids, which all begin before the first of them ends."""
    with stories.story(name), tracer.start_as_current_span("ClaudeAgentSDK.query") as run:
        run.set_attribute("openinference.span.kind", "AGENT")
        tracker = _ToolSpanTracker(tracer, run)
        for call_id, _ in told:
            stories.ran += 1
            tracker.start_tool_span("charge", CALL, call_id)
        for call_id, end in told:
            if end == "done":
                tracker.end_tool_span(call_id, {"content": [{"type": "text", "text": "ch_1"}]})
            elif end == "failed":
                tracker.end_tool_span_with_error(call_id, "the provider hung up")
        tracker.end_all_in_flight()


tell("good", ("call-1", "done"))
tell("raises", ("call-1", "failed"))
tell("parallel-same-arguments", ("call-1", "done"), ("call-2", "done"))
tell("abandoned", ("call-1", "never"))
