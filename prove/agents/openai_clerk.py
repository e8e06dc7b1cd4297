"""The same clerk on the OpenAI Agents SDK, whose model is a script."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from agents import Agent, Model, ModelResponse, RunContextWrapper, Runner, Usage, function_tool, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from prove.agents.client import Client
from prove.agents.stated_tools import make


@function_tool
async def make_object(wrapper: RunContextWrapper[Client], reference: str, amount: int) -> str:
    """Make one object."""
    return await make(wrapper.context, reference, amount)


class Script(Model):
    """One call, and then the word that all is done."""

    def __init__(self, reference: str, amount: int) -> None:
        self._arguments = json.dumps({"reference": reference, "amount": amount})
        self._turn = 0

    async def get_response(self, *args: Any, **more: Any) -> ModelResponse:
        """The next turn, whatever was said."""
        self._turn += 1
        if self._turn == 1:
            call = ResponseFunctionToolCall(
                type="function_call", call_id="call_0", name="make_object", arguments=self._arguments
            )
            return ModelResponse(output=[call], usage=Usage(), response_id=None)
        said = ResponseOutputText(type="output_text", text="That is done.", annotations=[])
        last = ResponseOutputMessage(type="message", id="1", role="assistant", status="completed", content=[said])
        return ModelResponse(output=[last], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **more: Any) -> AsyncIterator[Any]:
        """Nobody streams here."""
        raise NotImplementedError


async def run(client: Client) -> None:
    """One run."""
    set_tracing_disabled(True)  # its own tracing would send to its maker
    model = Script(client.plan.name, client.plan.amount)
    clerk: Agent[Client] = Agent(name="clerk", model=model, tools=[make_object])
    await Runner.run(clerk, "Do it.", context=client)
