"""Asking the harness's Advisor changes nothing in the world: no consultation is ever an effect, however it ends."""

from __future__ import annotations

import pytest
from pydantic import BaseModel
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai_harness.advisor import Advisor

from counterfoil.pydantic_ai import Counterfoil
from tests.capability.agents import Watched, call, calls

ASK = call("advisor", prompt="Is it safe to charge again?")
PAY = call("pay", order="order-7")
PAID = {"counterfoil": {"operation_id": "order", "effect_ref": "id", "guard": "enforce"}}


class Advice(BaseModel):
    safe: bool


def expert(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse(parts=[TextPart("Yes, it was applied.")])


@pytest.mark.parametrize("forward_history", [False, True])
def test_a_consultation_is_no_effect_and_its_advice_is_no_evidence(forward_history: bool) -> None:
    """The advisor says that it was applied. The charge, which nobody has a receipt for, stays in doubt."""
    watched = Watched()
    advisor: Advisor[None] = Advisor(FunctionModel(expert), mode="local", forward_history=forward_history)
    agent = watched.agent(calls([PAY], [ASK]), Counterfoil(), advisor)

    @agent.tool_plain(metadata=PAID)
    def pay(order: str) -> str:
        return "sent"

    agent.run_sync("go")
    assert set(watched.verdicts("advisor").values()) == {"healthy"}
    assert watched.verdicts("pay") == {"order-7": "indeterminate"}
    assert len(watched.verdicts()) == 2, "what the forwarded history tells is not counted again"


def test_one_past_the_limit_is_a_consultation_too() -> None:
    """No advisor is run then, and the span looks like a plain tool that came back well."""
    watched = Watched()
    advisor: Advisor[None] = Advisor(FunctionModel(expert), mode="local", max_uses=1)
    agent = watched.agent(calls([ASK, call("advisor", prompt="And now?")]), Counterfoil(), advisor)
    agent.run_sync("go")
    assert len(watched.said("advisor")) == 2
    assert {said["counterfoil.side_effect"] for said in watched.said("advisor")} == {False}
    assert set(watched.verdicts().values()) == {"healthy"}


def test_an_answer_that_can_not_be_used_is_one_that_failed_and_no_effect() -> None:
    watched = Watched()
    advisor: Advisor[None] = Advisor(FunctionModel(expert), mode="local", output_type=Advice)
    agent = watched.agent(calls([ASK]), Counterfoil(), advisor)
    agent.run_sync("go")
    assert set(watched.verdicts().values()) == {"healthy"}


def test_a_guard_for_all_tools_does_not_hold_a_second_question() -> None:
    watched, asked = Watched(), []

    def counting(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        asked.append(len(messages))
        return expert(messages, info)

    advisor: Advisor[None] = Advisor(FunctionModel(counting), mode="local")
    agent = watched.agent(calls([ASK], [ASK]), Counterfoil(guard="enforce"), advisor)
    agent.run_sync("go")
    assert len(asked) == 2


def test_a_tool_of_the_user_s_own_that_is_merely_called_advisor_is_none() -> None:
    watched = Watched()
    agent = watched.agent(calls([call("advisor", order="order-7")]), Counterfoil())

    @agent.tool_plain(metadata={"counterfoil": {"operation_id": "order"}})
    def advisor(order: str) -> str:
        return "shares were sold"

    agent.run_sync("go")
    assert watched.verdicts() == {"order-7": "indeterminate"}
