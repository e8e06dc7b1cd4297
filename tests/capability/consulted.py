"""A process of an agent under DBOS that asks an advisor, and says how its consultations were told.

    consulted.py FOLDER first|second

`first` dies in the request after the answer; `second` recovers. Each question is a line in FOLDER/asked.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from dbos import DBOS, SetWorkflowID
from pydantic_ai.durable_exec.dbos import DBOSDurability
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai_harness.advisor import Advisor

from counterfoil.pydantic_ai import Counterfoil
from tests.capability.agents import Watched

folder, phase = Path(sys.argv[1]), sys.argv[2]
DBOS(
    config={
        "name": "shop",
        "system_database_url": f"sqlite:///{folder}/dbos.db",
        "enable_otlp": False,
        "run_admin_server": False,
        "application_version": "1",
        "executor_id": "shop",
    }
)


def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    if not any(isinstance(message, ModelResponse) for message in messages):
        return ModelResponse(parts=[ToolCallPart("advisor", {"prompt": "Is it safe?"})])
    if phase == "first":
        os.kill(os.getpid(), signal.SIGKILL)
    return ModelResponse(parts=[TextPart("done")])


def expert(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    with (folder / "asked").open("a") as file:
        file.write("asked\n")
    return ModelResponse(parts=[TextPart("Look first.")])


watched = Watched()
agent = watched.agent(
    FunctionModel(model, model_name="fixed"),
    DBOSDurability(),
    Counterfoil(ledger=f"sqlite:///{folder}/ledger.db"),
    Advisor(FunctionModel(expert, model_name="large"), mode="local"),
)


@DBOS.workflow()
async def sell() -> str:
    return str((await agent.run("Sell it.")).output)


async def main() -> None:
    if phase == "first":
        with SetWorkflowID("order-7"):
            await sell()
    else:
        recovered = await DBOS.retrieve_workflow_async("order-7")
        await recovered.get_result()


DBOS.launch()
asyncio.run(main())
DBOS.destroy()
for consult in watched.consults():
    print(consult["counterfoil.consult.result"], consult["counterfoil.explanation"])
print(*watched.verdicts().values())
