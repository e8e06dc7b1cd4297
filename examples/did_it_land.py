"""A provider without idempotency keys: before a blind repeat, a plain function asks it whether the first one landed.

pip install 'counterfoil[pydantic-ai]' httpx
export COUNTERFOIL_LEDGER=sqlite:///ledger.db
python examples/did_it_land.py
counterfoil show charge:order-7
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx
from charging_provider import charging_provider
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import counterfoil
from counterfoil.pydantic_ai import Counterfoil

ASKS = ToolCallPart("charge", {"order": "order-7", "cents": 4_900})


def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Calls the tool, and calls it once more when it is told of an error."""
    turns = sum(isinstance(message, ModelResponse) for message in messages)
    return ModelResponse(parts=[ASKS if turns < 2 else TextPart("The order is paid.")])


def main() -> None:
    bodies = []
    with charging_provider() as provider:

        def did_it_land(question: Any) -> list[str]:
            return provider.found(question.operation_id)

        def name(args: Mapping[str, Any]) -> str:
            return f"charge:{args['order']}"

        agent = Agent(FunctionModel(model), capabilities=[Counterfoil(guard="enforce")])

        @agent.tool_plain(metadata={"counterfoil": {"operation_id": name, "probe": did_it_land}})
        def charge(order: str, cents: int) -> str:
            """Charge the customer's card."""
            bodies.append(order)
            operation = counterfoil.current_operation()
            body = {"order": order, "cents": cents, "metadata": operation.metadata if operation else {}}
            try:
                return str(httpx.post(provider.url, json=body, timeout=30).json()["id"])
            except httpx.TransportError as lost:
                raise ModelRetry("The line went dead. Try again.") from lost

        print(agent.run_sync("Charge order 7.").output)
        print(f"the tool ran {len(bodies)} time(s), and the provider holds {len(provider.charges)} charge(s)")


if __name__ == "__main__":
    main()
