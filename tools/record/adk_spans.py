# /// script
# requires-python = ">=3.11"
# dependencies = ["google-adk==2.13.0", "opentelemetry-exporter-otlp-proto-common", "opentelemetry-sdk"]
# ///
"""Record what Google ADK emits of its own accord. Usage: uv run --script FILE OUT."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from opentelemetry import trace
from recording import Stories

OLD = "ADK_TELEMETRY_SCHEMA_VERSION_OPT_IN"
os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental"
CALL: dict[str, Any] = {"order": "17", "amount": 5}
Calls = list[tuple[str | None, dict[str, Any]]]
is_old = os.environ.get(OLD) == "1"
stories = Stories(Path(sys.argv[1]), "adk-schema-1" if is_old else "adk", "google-adk", "opentelemetry-sdk")
trace.set_tracer_provider(stories.provider)


class Scripted(BaseLlm):
    """A model that makes these calls, a list of them a turn, then is done."""

    model: str = "scripted"
    turns: Sequence[Any] = ()

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        calls, self.turns = (self.turns[0], self.turns[1:]) if self.turns else ([], ())
        parts = [
            types.Part(function_call=types.FunctionCall(id=name, name="charge", args=said)) for name, said in calls
        ]
        yield LlmResponse(content=types.Content(role="model", parts=parts or [types.Part(text="done")]))


async def charged(order: str, amount: int) -> dict[str, str]:
    """Charge an order."""
    stories.ran += 1
    return {"id": f"ch_{stories.ran}"}


async def broken(order: str, amount: int) -> dict[str, str]:
    """Charge an order."""
    stories.ran += 1
    raise RuntimeError("the provider hung up")


async def hanging(order: str, amount: int) -> dict[str, str]:
    """Charge an order."""
    stories.ran += 1
    await asyncio.sleep(60)
    return {}


async def run(body: Any, turns: list[Calls]) -> None:
    body.__name__ = "charge"
    runner = InMemoryRunner(agent=LlmAgent(name="clerk", model=Scripted(turns=turns), tools=[body]), app_name="shop")
    session = await runner.session_service.create_session(app_name="shop", user_id="u", session_id="conversation-1")
    asked = types.Content(role="user", parts=[types.Part(text="charge order 17")])
    async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=asked):
        pass


TOLD: dict[str, tuple[Any, list[Calls], float | None]] = {
    "good": (charged, [[("call-1", CALL)]], None),
    "raises": (broken, [[("call-1", CALL)]], None),
    "parallel-same-arguments": (charged, [[("call-1", CALL), ("call-2", CALL)]], None),
    "no-ids": (charged, [[(None, CALL)], [(None, CALL)]], None),
    "ids-and-arguments-reused": (charged, [[("call-1", CALL)], [("call-1", CALL)]], None),
    "argument-missing": (charged, [[("call-1", {"order": "17"})]], None),
    "cancelled": (hanging, [[("call-1", CALL)]], 0.3),
    "good-content-off": (charged, [[("call-1", CALL)]], None),
}
for name, (body, turns, within) in TOLD.items():
    off = name.endswith("content-off")
    os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "NO_CONTENT" if off else "SPAN_ONLY"
    os.environ["ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS"] = "false" if off else "true"
    with stories.story(name):
        asyncio.run(asyncio.wait_for(run(body, turns), within))

if not is_old:  # it is read once in a process
    subprocess.run([sys.executable, *sys.argv], env=os.environ | {OLD: "1"}, check=True)
