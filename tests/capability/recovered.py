"""A process of an agent under DBOS, whose tool charges a card at a provider that remembers: a file, one line a charge.

    recovered.py FOLDER GUARD first killed-inside|killed-after
    recovered.py FOLDER GUARD second

`killed-inside`: it dies in the tool's body, after the provider committed. `killed-after`: in the next model request.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from dbos import DBOS, SetWorkflowID
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from pydantic_ai import Agent
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.durable_exec.dbos import DBOSDurability
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import counterfoil
from counterfoil.pydantic_ai import Counterfoil

folder, guard, phase = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
dies = sys.argv[4] if phase == "first" else ""
charges = folder / "charges"

provider = TracerProvider()
trace.set_tracer_provider(provider)
counterfoil.attach(provider)
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
        return ModelResponse(parts=[ToolCallPart("charge", {"amount": 5})])
    if dies == "killed-after":
        os.kill(os.getpid(), signal.SIGKILL)
    return ModelResponse(parts=[TextPart("done")])


def held() -> list[str]:
    """What the provider holds."""
    return charges.read_text().splitlines() if charges.exists() else []


PROBED = {"probe": lambda asked: held()} if guard == "probed" else {}
agent = Agent(
    FunctionModel(model, model_name="fixed"),
    name="shop",
    capabilities=[Instrumentation(), DBOSDurability(), Counterfoil(guard="enforce" if guard == "probed" else guard)],
)


@agent.tool_plain(metadata={"counterfoil": {"side_effect": True, "effect_ref": "id", **PROBED}})
def charge(amount: int) -> dict[str, str]:
    name = f"ch_{len(held()) + 1}"
    with charges.open("a") as file:
        file.write(f"{name}\n")
    if dies == "killed-inside":
        os.kill(os.getpid(), signal.SIGKILL)
    return {"id": name}


@DBOS.workflow()
async def sell() -> str:
    return str((await agent.run("Charge the card.")).output)


async def main() -> None:
    if phase == "first":
        with SetWorkflowID("order-7"):
            await sell()
    else:
        recovered = await DBOS.retrieve_workflow_async("order-7")
        print(await recovered.get_result())


DBOS.launch()
asyncio.run(main())
DBOS.destroy()
provider.shutdown()
