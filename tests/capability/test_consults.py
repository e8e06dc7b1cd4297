"""Every consultation is told as one: how it was made, who received the prompt, how it ended. With the capability and
by spans alone, with content on them and without."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    TextPart,
    ToolCallPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai_harness.advisor import Advisor

from counterfoil import audit_history
from counterfoil.histories.contract import HistoryContract
from counterfoil.pydantic_ai import Counterfoil
from tests.capability.agents import Watched, call, calls

ASK = call("advisor", prompt="Is it safe to charge again? The card ends in 4242.")
AGAIN = call("advisor", prompt="And now?")
MODE, RESULT = "counterfoil.consult.mode", "counterfoil.consult.result"
CAPABILITIES = pytest.mark.parametrize("with_us", [True, False], ids=["with the capability", "by spans alone"])


class Advice(BaseModel):
    safe: bool


def expert(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse(parts=[TextPart("Look at the gateway first.")])


def ours(with_us: bool) -> list[AbstractCapability[Any]]:
    return [Counterfoil()] if with_us else []


def advisor(**more: Any) -> Advisor[Any]:
    return Advisor(FunctionModel(expert, model_name="large"), mode="local", **more)


@pytest.fixture
def everywhere() -> Iterator[Watched]:
    """Instrumentation of all agents, so that the advisor's own run has spans as well."""
    watched = Watched()
    before = Agent._instrument_default
    Agent.instrument_all(watched.instrumentation())
    yield watched
    Agent.instrument_all(before)


@CAPABILITIES
@pytest.mark.parametrize("forward_history", [False, True])
def test_who_received_the_prompt_is_told_and_nothing_of_the_prompt(
    with_us: bool, forward_history: bool, everywhere: Watched
) -> None:
    agent = everywhere.agent(calls([ASK]), advisor(forward_history=forward_history), *ours(with_us))
    agent.run_sync("go")
    [said] = everywhere.consults()
    assert (said[MODE], said[RESULT]) == ("local", "answered")
    assert (said["counterfoil.consult.provider"], said["counterfoil.consult.model"]) == ("function", "large")
    assert said["counterfoil.consult.history_forwarded"] is forward_history
    assert "4242" not in repr(said)
    assert "gateway" not in repr(said)
    assert everywhere.counted("counterfoil.consults") == {("local", "answered"): 1}
    assert set(everywhere.verdicts().values()) == {"healthy"}


@CAPABILITIES
def test_one_past_the_limit_asked_nobody(with_us: bool) -> None:
    watched = Watched()
    watched.agent(calls([ASK, AGAIN]), advisor(max_uses=1), *ours(with_us)).run_sync("go")
    assert sorted(said[RESULT] for said in watched.consults()) == ["answered", "exhausted"]
    assert set(watched.verdicts().values()) == {"healthy"}


@CAPABILITIES
def test_an_answer_that_can_not_be_used_is_told_as_invalid(with_us: bool) -> None:
    watched = Watched()
    watched.agent(calls([ASK]), advisor(output_type=Advice), *ours(with_us)).run_sync("go")
    assert [said[RESULT] for said in watched.consults()] == ["invalid"]
    assert set(watched.verdicts().values()) == {"healthy"}


@CAPABILITIES
def test_an_advisor_that_can_not_be_reached_failed(with_us: bool) -> None:
    def down(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise ConnectionError("no route")

    watched = Watched()
    agent = watched.agent(calls([ASK]), Advisor[Any](FunctionModel(down), mode="local"), *ours(with_us))
    with pytest.raises(ConnectionError):
        agent.run_sync("go")
    assert [said[RESULT] for said in watched.consults()] == ["failed"]


@CAPABILITIES
def test_several_at_once_are_each_told(with_us: bool) -> None:
    watched = Watched()
    result = watched.agent(calls([ASK, AGAIN]), advisor(), *ours(with_us)).run_sync("go")
    assert [said[RESULT] for said in watched.consults()] == ["answered"] * 2
    assert result.usage.requests == 4, "what the advisor's own requests cost is in the run's usage"


@CAPABILITIES
def test_a_native_one_is_told_out_of_the_model_s_own_answer(with_us: bool) -> None:
    parts = [
        NativeToolCallPart("advisor", {"prompt": "4242"}, tool_call_id="n1"),
        NativeToolReturnPart("advisor", "Look first.", tool_call_id="n1"),
        NativeToolCallPart("advisor", {"prompt": "And now?"}, tool_call_id="n2"),
        TextPart("done"),
    ]
    watched = Watched()
    native = FunctionModel(lambda messages, info: ModelResponse(parts=parts))
    watched.agent(native, *ours(with_us), include_content=False).run_sync("go")
    assert [(said[MODE], said[RESULT]) for said in watched.consults()] == [("native", "answered"), ("native", "failed")]
    assert watched.verdicts() == {}, "there is no call, and so no operation"


def test_in_a_streamed_run_as_in_any_other() -> None:
    async def stream(messages: list[ModelMessage], info: AgentInfo) -> Any:
        from pydantic_ai.models.function import DeltaToolCall

        if any(isinstance(message, ModelResponse) for message in messages):
            yield "done"
        else:
            yield {0: DeltaToolCall("advisor", '{"prompt": "Safe?"}', tool_call_id="a1")}

    async def run(agent: Agent[Any, Any]) -> str:
        async with agent.run_stream("go") as streamed:
            return str(await streamed.get_output())

    watched = Watched()
    agent = watched.agent(FunctionModel(stream_function=stream), advisor(), Counterfoil())
    assert asyncio.run(run(agent)) == "done"
    assert [said[RESULT] for said in watched.consults()] == ["answered"]


def test_without_content_nobody_says_more_than_the_spans_show() -> None:
    watched = Watched()
    watched.agent(calls([ASK]), advisor(), include_content=False).run_sync("go")
    assert [said[RESULT] for said in watched.consults()] == ["unknown"]
    assert set(watched.verdicts().values()) == {"healthy"}


def test_the_same_call_made_again_by_a_resumed_run_is_a_repeated_cost_and_no_repeated_effect(tmp_path: Any) -> None:
    """A stored history ends with the open call: whoever resumes it asks, and pays, again."""
    ledger = f"sqlite:///{tmp_path}/ledger.db"
    first = Watched()
    stored = first.agent(calls([ASK]), advisor(), Counterfoil(ledger=ledger)).run_sync("go").all_messages()[:2]
    second = Watched()
    second.agent(calls([ASK]), advisor(), Counterfoil(ledger=ledger)).run_sync(message_history=stored)
    assert [said[RESULT] for said in (*first.consults(), *second.consults())] == ["answered", "replayed"]
    assert "a repeated cost, and no repeated effect" in second.consults()[0]["counterfoil.explanation"]
    assert set(second.verdicts().values()) == {"healthy"}
    assert second.counted("counterfoil.consults") == {("local", "replayed"): 1}


def test_a_user_s_own_tool_of_that_name_is_not_told_of() -> None:
    watched = Watched()
    agent = watched.agent(calls([ToolCallPart("advisor", {"prompt": "buy"})]))
    agent.tool_plain(lambda prompt: "shares were bought", name="advisor")
    agent.run_sync("go")
    assert watched.consults() == []
    assert set(watched.verdicts().values()) == {"indeterminate"}


@pytest.mark.parametrize("max_uses", [None, 1])
def test_a_history_with_consultations_in_it_is_ready(max_uses: int | None) -> None:
    """They have no receipts, and none is missed: whoever was asked did nothing. A native one needs no other half."""
    native = [
        NativeToolCallPart("advisor", {"prompt": "Safe?"}, tool_call_id="n1"),
        NativeToolReturnPart("advisor", "Look first.", tool_call_id="n1"),
    ]
    agent = Watched().agent(calls([*native, ASK, AGAIN]), advisor(max_uses=max_uses), Counterfoil())
    messages = agent.run_sync("go").all_messages()
    audit = audit_history(
        messages, contract=HistoryContract(side_effect_tools=frozenset({"pay"})), provenance="server_store"
    )
    assert (audit.verdict, audit.findings) == ("ready", ())
