# /// script
# requires-python = ">=3.11"
# dependencies = ["strands-agents==1.62.0", "opentelemetry-exporter-otlp-proto-common", "opentelemetry-sdk"]
# ///
"""Record what Strands emits of its own accord. Usage: uv run --script FILE OUT."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from opentelemetry import trace
from recording import Stories
from strands import Agent, tool
from strands.models.model import Model

CALL: dict[str, Any] = {"order": "17", "amount": 5}
Calls = list[tuple[str, dict[str, Any]]]
stories = Stories(Path(sys.argv[1]), "strands", "strands-agents", "opentelemetry-sdk")
trace.set_tracer_provider(stories.provider)


class Scripted(Model):
    """A model that makes these calls, a list of them a turn, then is done."""

    def __init__(self, *turns: Calls) -> None:
        self.turns = list(turns)

    def update_config(self, **model_config: Any) -> None:
        pass

    def get_config(self) -> Any:
        return {"model_id": "scripted"}

    def structured_output(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def stream(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        calls = self.turns.pop(0) if self.turns else []
        yield {"messageStart": {"role": "assistant"}}
        for name, said in calls:
            yield {"contentBlockStart": {"start": {"toolUse": {"toolUseId": name, "name": "charge"}}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(said)}}}}
            yield {"contentBlockStop": {}}
        if not calls:
            yield {"contentBlockDelta": {"delta": {"text": "done"}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if calls else "end_turn"}}


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
    "ids-and-arguments-reused": (charged, ([("call-1", CALL)], [("call-1", CALL)]), None),
    "validation": (charged, ([("call-1", {**CALL, "amount": "much"})], [("call-2", CALL)]), None),
    "cancelled": (hanging, ([("call-1", CALL)],), 0.3),
}
for name, (body, turns, within) in TOLD.items():
    with stories.story(name):
        agent = Agent(model=Scripted(*turns), tools=[body], callback_handler=None, name="clerk")
        asyncio.run(asyncio.wait_for(agent.invoke_async("charge order 17"), within))
