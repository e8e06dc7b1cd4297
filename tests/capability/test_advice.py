"""A tool may require that an advisor is asked before. A call without is found, and no verdict changes by it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic_ai import DeferredToolRequests
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai_harness.advisor import Advisor

from counterfoil import Config
from counterfoil.config import ToolConfig
from counterfoil.pydantic_ai import Counterfoil
from tests.capability.agents import Watched, call, calls
from tests.capability.test_consults import CAPABILITIES, expert

ASK, PAY = call("advisor", prompt="Is it safe?"), call("pay", order="order-7")
DECLARED = {"operation_id": "order", "effect_ref": "id"}
REQUIRED = Config(tools={"pay": ToolConfig(side_effect=True, advice="required")})


def sold(with_us: bool, *turns: list[ToolCallPart]) -> Watched:
    watched = Watched(REQUIRED)
    advisor: Advisor[Any] = Advisor(FunctionModel(expert), mode="local")
    agent = watched.agent(calls(*turns), advisor, *([Counterfoil(config=REQUIRED)] if with_us else []))
    agent.tool_plain(lambda order: {"id": "ch_1"}, name="pay", metadata={"counterfoil": DECLARED} if with_us else None)
    agent.run_sync("go")
    return watched


def found(watched: Watched) -> tuple[str, ...]:
    [operation_id] = watched.verdicts("pay")
    return watched.findings(operation_id)


@CAPABILITIES
@pytest.mark.parametrize(
    ("turns", "finding"),
    [
        ([[ASK], [PAY]], ()),
        ([[PAY]], ("unadvised",)),
        ([[PAY], [ASK]], ("unadvised",)),
        ([[ASK, PAY]], ("unadvised",)),
    ],
    ids=["asked before", "never", "too late", "at the same time"],
)
def test_a_call_without_advice_is_found_on_its_verdict(with_us: bool, turns: Any, finding: tuple[str, ...]) -> None:
    watched = sold(with_us, *turns)
    assert found(watched) == finding
    assert set(watched.verdicts("pay").values()) == {"verified_applied" if with_us else "indeterminate"}


def test_what_another_run_was_told_doesn_t_count() -> None:
    watched = Watched(REQUIRED)
    advisor: Advisor[Any] = Advisor(FunctionModel(expert), mode="local")
    agent = watched.agent(calls([ASK], [], [PAY]), advisor, Counterfoil(config=REQUIRED))
    agent.tool_plain(lambda order: {"id": "ch_1"}, name="pay", metadata={"counterfoil": DECLARED})
    answers: Iterator[ModelResponse] = iter(
        [ModelResponse(parts=[one]) for one in (ASK, TextPart("Shall I?"), PAY, TextPart("done"))]
    )
    agent.model = FunctionModel(lambda messages, info: next(answers))
    history = agent.run_sync("go").all_messages()
    agent.run_sync("yes", message_history=history)
    assert watched.findings("order-7") == ("unadvised",)


def test_the_capability_may_require_it_of_all_tools_and_a_tool_may_say_otherwise() -> None:
    watched = Watched()
    agent = watched.agent(calls([PAY], [call("note", order="order-8")]), Counterfoil(advice="required"))
    agent.tool_plain(lambda order: {"id": "ch_1"}, name="pay", metadata={"counterfoil": DECLARED})
    agent.tool_plain(lambda order: {"id": "n_1"}, name="note", metadata={"counterfoil": DECLARED | {"advice": False}})
    agent.run_sync("go")
    assert (watched.findings("order-7"), watched.findings("order-8")) == (("unadvised",), ())
    assert watched.counted("counterfoil.findings") == {("unadvised", "pay"): 1}


def test_a_doubt_is_put_to_an_advisor_and_its_answer_is_a_note_for_whoever_decides() -> None:
    """The advisor says that it was done. The person reads that; the evidence, the verdict and the ledger don't."""
    asked: list[str] = []

    def wise(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        asked.extend(
            str(part.content) for message in messages for part in message.parts if isinstance(message, ModelRequest)
        )
        return ModelResponse(parts=[TextPart("It was surely done: check the gateway.")])

    def pay(order: str) -> str:
        raise ToolFailed("no answer for card 4242")

    watched = Watched()
    guard = Counterfoil[Any](guard="enforce", advisor=FunctionModel(wise, model_name="large"))
    agent = watched.agent(calls([PAY], [PAY]), guard, output_type=[str, DeferredToolRequests])
    agent.tool_plain(pay, name="pay", metadata={"counterfoil": DECLARED | {"when_in_doubt": "ask"}})
    output = agent.run_sync("go").output
    assert isinstance(output, DeferredToolRequests)
    [metadata] = output.metadata.values()
    assert metadata["counterfoil"]["note"] == "It was surely done: check the gateway."
    assert len(asked) == 1
    assert "4242" not in asked[0]
    assert "order-7" not in asked[0]
    assert watched.verdicts() == {"order-7": "indeterminate"}
    [consult] = watched.consults()
    assert (consult["counterfoil.consult.result"], consult["counterfoil.consult.model"]) == ("answered", "large")


@pytest.mark.parametrize("answer", [ConnectionError("down"), TimeoutError()])
def test_an_advisor_that_fails_leaves_the_question_to_the_person_alone(answer: Exception) -> None:
    def wise(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise answer

    def pay(order: str) -> str:
        raise ToolFailed("no answer")

    watched = Watched()
    guard = Counterfoil[Any](guard="enforce", advisor=FunctionModel(wise))
    agent = watched.agent(calls([PAY], [PAY]), guard, output_type=[str, DeferredToolRequests])
    agent.tool_plain(pay, name="pay", metadata={"counterfoil": DECLARED | {"when_in_doubt": "ask"}})
    output = agent.run_sync("go").output
    assert isinstance(output, DeferredToolRequests)
    [metadata] = output.metadata.values()
    assert "note" not in metadata["counterfoil"]
    assert [said["counterfoil.consult.result"] for said in watched.consults()] == ["failed"]
