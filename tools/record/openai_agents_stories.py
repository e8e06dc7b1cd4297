"""What an agent of OpenAI Agents lives through while it is recorded: one set of stories, for whoever instruments it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, function_tool
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from recording import Stories

CALL: dict[str, Any] = {"order": "17", "amount": 5}
WITHOUT_CONTENT = ("good", "raises", "parallel-same-arguments")
Calls = list[tuple[str, dict[str, Any]]]


class Scripted(Model):
    """A model that makes these calls, a list of them a turn, then is done."""

    def __init__(self, *turns: Calls) -> None:
        self.turns = list(turns)

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        calls = self.turns.pop(0) if self.turns else []
        output: list[Any] = [
            ResponseFunctionToolCall(arguments=json.dumps(said), call_id=name, name="charge", type="function_call")
            for name, said in calls
        ]
        if not output:
            text = ResponseOutputText(annotations=[], text="done", type="output_text")
            done = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
            output.append(done)
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


def record(stories: Stories, *, suffix: str = "", config: RunConfig | None = None) -> None:
    """Every story once."""

    @function_tool(name_override="charge")
    async def charged(order: str, amount: int) -> str:
        stories.ran += 1
        return f"ch_{stories.ran}"

    @function_tool(name_override="charge")
    async def broken(order: str, amount: int) -> str:
        stories.ran += 1
        raise RuntimeError("the provider hung up")

    @function_tool(name_override="charge")
    async def hanging(order: str, amount: int) -> str:
        stories.ran += 1
        await asyncio.sleep(60)
        return "never"

    @function_tool(name_override="charge", needs_approval=True)
    async def approved(order: str, amount: int) -> str:
        stories.ran += 1
        return "charged"

    @function_tool(name_override="charge", timeout=0.1)
    async def slow(order: str, amount: int) -> str:
        stories.ran += 1
        await asyncio.sleep(60)
        return "never"

    told: dict[str, tuple[Any, tuple[Calls, ...], float | None]] = {
        "good": (charged, ([("call-1", CALL)],), None),
        "raises": (broken, ([("call-1", CALL)],), None),
        "parallel-same-arguments": (charged, ([("call-1", CALL), ("call-2", CALL)],), None),
        "ids-reused": (charged, ([("call-1", CALL)], [("call-1", {**CALL, "order": "18"})]), None),
        "ids-and-arguments-reused": (charged, ([("call-1", CALL)], [("call-1", CALL)]), None),
        "validation": (charged, ([("call-1", {**CALL, "amount": "much"})], [("call-2", CALL)]), None),
        "approval": (approved, ([("call-1", CALL)],), None),
        "timed-out": (slow, ([("call-1", CALL)],), None),
        "cancelled": (hanging, ([("call-1", CALL)],), 0.2),
    }
    for name, (body, turns, within) in told.items():
        if suffix and name not in WITHOUT_CONTENT:
            continue
        with stories.story(name + suffix):
            agent = Agent(name="clerk", model=Scripted(*turns), tools=[body])
            asked = Runner.run(agent, "charge order 17", run_config=config)
            asyncio.run(asyncio.wait_for(asked, within))
