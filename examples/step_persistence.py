"""The harness's step store says that a tool failed. What the target holds decides, and is noted beside the record.

pip install 'counterfoil[pydantic-ai]' httpx
export COUNTERFOIL_LEDGER=sqlite:///ledger.db
python examples/step_persistence.py
"""

from __future__ import annotations

import asyncio
import os

import httpx
from charging_provider import charging_provider
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai_harness.step_persistence import SqliteStepStore, StepPersistence

import counterfoil
from counterfoil.bridges.step_persistence import annotate, records_of
from counterfoil.ledger import open_ledger


def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse(parts=[ToolCallPart("charge", {"order": "order-7", "cents": 4_900}, tool_call_id="call_1")])


async def main() -> None:
    store, ledger = SqliteStepStore(database="steps.db"), open_ledger(os.environ["COUNTERFOIL_LEDGER"])
    keeping = StepPersistence(store=store, run_id="run-1", capture_frontier=True)
    agent = Agent(FunctionModel(model), name="shop", capabilities=[keeping])
    with charging_provider() as provider:

        @agent.tool
        def charge(ctx: RunContext[None], order: str, cents: int) -> str:
            """Charge the customer's card."""
            return str(httpx.post(provider.url, json={"order": order, "cents": cents}, timeout=30).json()["id"])

        try:
            await agent.run("Charge order 7.", conversation_id="conversation-1")
        except httpx.TransportError:
            print("the run failed")

        told = await records_of(store, "run-1", ledger=ledger)
        ledger.add(told.facts, due=0)  # their record becomes a fact
        (operation,) = told.operations.values()
        for charged in provider.charges:  # a person, a probe or a webhook looks at what the provider holds
            counterfoil.record_effect(charged, operation_id=operation, source="probe")

    await annotate(store, "run-1", ledger)  # and the verdict goes beside it
    record = await store.get_tool_effect(run_id="run-1", tool_call_id="call_1")
    assert record is not None
    print(f"the step store says: {record.status}")
    print(f"beside it: {str(record.effect_summary).partition('; ')[2].partition(', operation')[0]}")


if __name__ == "__main__":
    asyncio.run(main())
