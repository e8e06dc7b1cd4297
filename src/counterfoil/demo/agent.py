"""A real Pydantic AI agent whose model is a script: no key, no network, the same calls every time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from counterfoil.demo.tools import Client, charge_card, create_ticket, find_payments, send_mail


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call that the model will make."""

    tool: str
    arguments: dict[str, object]


def clerk() -> Agent[Client, str]:
    """The agent of every story. It has no model of its own: each run brings its script."""
    return Agent(
        deps_type=Client,
        output_type=str,
        name="clerk",
        tools=[charge_card, create_ticket, send_mail, find_payments],
    )


def script(calls: Sequence[Call]) -> FunctionModel:
    """A model that makes these calls, one a turn, whatever comes back, and then says that all is done."""

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        if turn < len(calls):
            return ModelResponse(parts=[ToolCallPart(calls[turn].tool, calls[turn].arguments)])
        return ModelResponse(parts=[TextPart("That is done.")])

    return FunctionModel(model, model_name="script")
