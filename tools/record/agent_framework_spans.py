# /// script
# requires-python = ">=3.11"
# dependencies = ["agent-framework-core==1.23.0", "opentelemetry-exporter-otlp-proto-common", "opentelemetry-sdk"]
# ///
"""Record what Microsoft's Agent Framework emits of its own accord. Usage: uv run --script FILE OUT."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agent_framework import Agent, BaseChatClient, ChatResponse, Content, FunctionInvocationLayer, Message, tool
from agent_framework.observability import enable_instrumentation
from opentelemetry import trace
from recording import Stories

CALL: dict[str, Any] = {"order": "17", "amount": 5}
Calls = list[tuple[str, dict[str, Any]]]
stories = Stories(Path(sys.argv[1]), "agent-framework", "agent-framework-core", "opentelemetry-sdk")
trace.set_tracer_provider(stories.provider)


class Scripted(FunctionInvocationLayer, BaseChatClient):  # type: ignore[misc]
    """A model that makes these calls, a list of them a turn, then is done."""

    def __init__(self, *turns: Calls) -> None:
        super().__init__()
        self.turns = list(turns)

    async def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **kwargs: Any
    ) -> ChatResponse:
        calls = self.turns.pop(0) if self.turns else []
        said = [Content.from_function_call(name, "charge", arguments=given) for name, given in calls]
        return ChatResponse(messages=[Message("assistant", said or ["done"])])


@tool(name="charge")
async def charged(order: str, amount: int) -> str:
    """Charge an order."""
    stories.ran += 1
    return f"ch_{stories.ran}"


@tool(name="charge")
async def broken(order: str, amount: int) -> str:
    """Charge an order."""
    stories.ran += 1
    raise RuntimeError("the provider hung up")


@tool(name="charge")
async def hanging(order: str, amount: int) -> str:
    """Charge an order."""
    stories.ran += 1
    await asyncio.sleep(60)
    return "never"


TOLD: dict[str, tuple[Any, tuple[Calls, ...], float | None]] = {
    "good": (charged, ([("call-1", CALL)],), None),
    "raises": (broken, ([("call-1", CALL)],), None),
    "parallel-same-arguments": (charged, ([("call-1", CALL), ("call-2", CALL)],), None),
    "no-ids": (charged, ([("", CALL)], [("", CALL)]), None),
    "ids-and-arguments-reused": (charged, ([("call-1", CALL)], [("call-1", CALL)]), None),
    "validation": (charged, ([("call-1", {**CALL, "amount": "much"})], [("call-2", CALL)]), None),
    "cancelled": (hanging, ([("call-1", CALL)],), 0.3),
    "good-content-off": (charged, ([("call-1", CALL)],), None),
}
for name, (body, turns, within) in TOLD.items():
    enable_instrumentation(enable_sensitive_data=not name.endswith("content-off"))
    with stories.story(name):
        agent = Agent(Scripted(*turns), name="clerk", tools=[body])
        asyncio.run(asyncio.wait_for(agent.run("charge order 17"), within))
