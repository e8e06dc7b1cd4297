"""One workflow under DBOS: killed, and recovered by another process, which replays what was kept and runs the rest.

`python -m prove.agents.durable PLANS WIRE NAME FOLDER first|second`
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import httpx
from dbos import DBOS, SetWorkflowID
from pydantic_ai import Agent
from pydantic_ai.durable_exec.dbos import DBOSDurability
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models.function import AgentInfo, FunctionModel

from prove import plan as plans
from prove.agents.clerk import TOOLS, script
from prove.agents.client import Client
from prove.plan import Plan
from prove.telemetry.pipeline import pipeline


def main() -> None:
    path, wire, name, folder, life = sys.argv[1:6]
    plan = plans.by_operation(plans.read(Path(path)))[name]
    with pipeline():
        DBOS(
            config={
                "name": "shop",
                "system_database_url": f"sqlite:///{folder}/{name}.db",
                "enable_otlp": False,
                "run_admin_server": False,  # type: ignore[typeddict-unknown-key]  # it is read, and undeclared
                "application_version": "1",
                "executor_id": "shop",
            }
        )
        asyncio.run(_live(plan, int(wire), second=life == "second"))
        DBOS.destroy()


async def _live(plan: Plan, wire: int, *, second: bool) -> None:
    played = script(plan)

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if not second and any(isinstance(message, ModelResponse) for message in messages):
            os.kill(os.getpid(), signal.SIGKILL)  # after the tool has run, before that is kept anywhere
        answer = played.function(messages, info) if played.function is not None else None
        assert isinstance(answer, ModelResponse)
        return answer

    agent = Agent(
        FunctionModel(model, model_name="script"),
        deps_type=Client,
        output_type=str,
        name="clerk",
        tools=TOOLS,
        capabilities=[DBOSDurability()],
    )

    @DBOS.workflow()
    async def sell() -> str:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{wire}") as http:
            return (await agent.run("Do it.", deps=Client(http, plan, second), conversation_id=plan.name)).output

    DBOS.launch()
    if second:
        await (await DBOS.retrieve_workflow_async(plan.name)).get_result()
    else:
        with SetWorkflowID(plan.name):
            await sell()


if __name__ == "__main__":
    main()
