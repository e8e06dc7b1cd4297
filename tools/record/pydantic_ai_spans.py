# /// script
# requires-python = ">=3.11"
# dependencies = ["pydantic-ai-slim==2.62.0", "opentelemetry-exporter-otlp-proto-common", "opentelemetry-sdk"]
# ///
"""Record what Pydantic AI's instrumentation emits, in each of its versions. Usage: uv run --script FILE OUT."""

from __future__ import annotations

import asyncio
import sys
import warnings
from pathlib import Path
from typing import Any

from opentelemetry.sdk.metrics import MeterProvider
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import Hooks, Instrumentation
from pydantic_ai.exceptions import ApprovalRequired, SkipToolExecution
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.tools import DeferredToolRequests
from recording import Stories

warnings.simplefilter("ignore")
stories = Stories(Path(sys.argv[1]), "pydantic-ai", "pydantic-ai-slim", "opentelemetry-sdk")
CALL: dict[str, Any] = {"order": "17", "amount": 5}


def scripted(*turns: list[tuple[str, dict[str, Any]]]) -> FunctionModel:
    """A model that makes these calls, a list of them a turn, then is done."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        if turn >= len(turns):
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart("charge", said, tool_call_id=name) for name, said in turns[turn]])

    return FunctionModel(answer)


async def charged(order: str, amount: int) -> dict[str, str]:
    stories.ran += 1
    return {"id": f"ch_{stories.ran}"}


async def broken(order: str, amount: int) -> str:
    stories.ran += 1
    raise RuntimeError("the provider hung up")


async def refused(order: str, amount: int) -> str:
    stories.ran += 1
    raise ModelRetry("the card was declined, ask for another one")


async def hanging(order: str, amount: int) -> str:
    stories.ran += 1
    await asyncio.sleep(60)
    return "never"


async def asks(order: str, amount: int) -> str:
    raise ApprovalRequired


async def run(
    version: int,
    body: Any,
    *turns: list[tuple[str, dict[str, Any]]],
    content: bool = True,
    within: float | None = None,
    capabilities: tuple[Any, ...] = (),
    **tool: Any,
) -> None:
    settings = InstrumentationSettings(
        tracer_provider=stories.provider,
        meter_provider=MeterProvider(),
        version=version,  # type: ignore[arg-type]
        include_content=content,
    )
    agent: Agent[None, Any] = Agent(
        scripted(*(turns or ([("call-1", CALL)],))),
        name="clerk",
        output_type=[str, DeferredToolRequests],
        capabilities=[Instrumentation(settings), *capabilities],
    )
    agent.tool_plain(body, name="charge", **tool)
    await asyncio.wait_for(agent.run("charge order 17"), within)


def skipping() -> Hooks[None]:
    hooks: Hooks[None] = Hooks()

    @hooks.on.before_tool_execute
    async def skip(ctx: Any, *, call: Any, tool_def: Any, args: Any) -> Any:
        raise SkipToolExecution({"id": "answered from a cache"})

    return hooks


TOLD: dict[str, tuple[Any, tuple[Any, ...], dict[str, Any]]] = {
    "good": (charged, (), {}),
    "raises": (broken, (), {}),
    "retried-by-the-model": (refused, ([("call-1", CALL)], [("call-2", CALL)]), {"retries": 5}),
    "parallel-same-arguments": (charged, ([("call-1", CALL), ("call-2", CALL)],), {}),
    "ids-reused": (charged, ([("call-1", CALL)], [("call-1", {**CALL, "order": "18"})]), {}),
    "ids-and-arguments-reused": (charged, ([("call-1", CALL)], [("call-1", CALL)]), {}),
    "validation": (charged, ([("call-1", {"order": "17", "amount": "much"})], [("call-2", CALL)]), {}),
    "approval": (asks, (), {}),
    "skipped": (charged, (), {"capabilities": (skipping(),)}),
    "timed-out": (hanging, (), {"timeout": 0.05}),
    "cancelled": (hanging, (), {"within": 0.05}),
    "content-off": (charged, ([("call-1", CALL), ("call-2", CALL)],), {"content": False}),
}

for version in (2, 3, 4, 5, 6):
    for name, (body, turns, more) in TOLD.items():
        with stories.story(name, f"pydantic-ai-v{version}"):
            asyncio.run(run(version, body, *turns, **more))
