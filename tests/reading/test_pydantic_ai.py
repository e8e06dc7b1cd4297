"""Spans of the real Pydantic AI, as its instrumentation versions 2 to 6 make them, come to what happened."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ToolFailed
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.tools import DeferredToolRequests

from counterfoil.dispatch import Dispatch
from counterfoil.facts import Reported, Transport
from tests.reading.live import Watched

VERSIONS = (2, 3, 4, 5, 6)


def model(arguments: dict[str, object], calls: int = 1) -> FunctionModel:
    """Calls the tool so many times, each time under another id, then is done."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        so_far = sum(isinstance(message, ModelResponse) for message in messages)
        if so_far < calls:
            return ModelResponse(parts=[ToolCallPart("charge", arguments, tool_call_id=f"call-{so_far}")])
        return ModelResponse(parts=[TextPart("done")])

    return FunctionModel(answer)


def run(
    body: Callable[..., Any],
    version: int = 5,
    *,
    content: bool = True,
    arguments: dict[str, object] | None = None,
    **tool: Any,
) -> Watched:
    """One run of an agent whose model calls the tool once, and again if it is asked to."""
    app = Watched()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        settings = InstrumentationSettings(
            tracer_provider=app.provider,
            meter_provider=MeterProvider(),
            version=version,
            include_content=content,  # type: ignore[arg-type]
        )
    agent: Agent[None, Any] = Agent(
        model(arguments or {"amount": 5}),
        name="clerk",
        output_type=[str, DeferredToolRequests],
        capabilities=[Instrumentation(settings)],
        retries=0,
    )
    agent.tool_plain(name="charge", **tool)(body)
    with suppress(Exception, asyncio.CancelledError):  # what the run comes to is not what is looked at
        asyncio.run(asyncio.wait_for(agent.run("go"), 5))
    return app


def only(app: Watched) -> Dispatch:
    (dispatch,) = app.the_one().operation.dispatches
    return dispatch


async def returns(amount: int) -> dict[str, str]:
    return {"id": "ch_1"}


async def raises(amount: int) -> None:
    raise RuntimeError("the provider is down")


async def asks_again(amount: int) -> None:
    raise ModelRetry("not now")


async def fails(amount: int) -> None:
    raise ToolFailed("declined")


async def waits_for_approval(amount: int) -> None:
    raise ApprovalRequired


async def defers(amount: int) -> None:
    raise CallDeferred


async def hangs(amount: int) -> None:
    await asyncio.sleep(60)


async def is_cancelled(amount: int) -> None:
    raise asyncio.CancelledError


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("body", "tool", "ended"),
    [
        (returns, {}, (Transport.SUCCESS, Reported.SUCCESS)),
        (raises, {}, (Transport.ERROR, Reported.ERROR)),
        (asks_again, {}, (Transport.ERROR, Reported.ERROR)),
        (fails, {}, (Transport.ERROR, Reported.ERROR)),
        (hangs, {"timeout": 0.02}, (Transport.TIMEOUT, Reported.ERROR)),
        (is_cancelled, {}, (Transport.CANCELLED, Reported.ABSENT)),
    ],
)
def test_how_a_tool_ended(
    version: int, body: Callable[..., Any], tool: dict[str, Any], ended: tuple[object, ...]
) -> None:
    dispatch = only(run(body, version, retries=1, **tool))
    assert (dispatch.transport, dispatch.reported) == ended
    assert dispatch.executed


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("body", [waits_for_approval, defers])
def test_a_deferred_tool_did_nothing_yet(version: int, body: Callable[..., Any]) -> None:
    dispatch = only(run(body, version))
    assert (dispatch.executed, dispatch.proof) == (False, "deferred_for_approval")


@pytest.mark.parametrize("version", VERSIONS)
def test_arguments_that_were_not_valid_never_reached_the_tool(version: int) -> None:
    dispatch = only(run(returns, version, arguments={"amount": "much"}))
    assert (dispatch.executed, dispatch.proof) == (False, "argument_validation")


@pytest.mark.parametrize("version", VERSIONS)
def test_the_intent_says_who_called_what(version: int) -> None:
    app = run(returns, version)
    (intent,) = app.intents()
    assert (intent.tool, intent.agent, intent.tool_call_id) == ("charge", "clerk", "call-0")
    assert intent.run_id
    assert intent.conversation_id
    assert intent.payload_hash
    assert intent.id_source == "tool_call_id"


def test_without_content_there_is_no_hash_and_a_call_without_a_result_is_unknown() -> None:
    app = run(returns, content=False)
    assert only(app).transport is Transport.STARTED
    assert [intent.payload_hash for intent in app.intents()] == [None]
