"""Every shape in which Pydantic AI runs a tool: from an MCP server, in streams, at once; and agents out of a file."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from pydantic_ai import Agent
from pydantic_ai.capabilities import SetToolMetadata
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from counterfoil import Config, current_operation
from counterfoil.config import ToolConfig
from counterfoil.facts import Intent
from counterfoil.ledger import open_ledger
from counterfoil.pydantic_ai import Counterfoil
from tests.capability.agents import Watched, call, calls

PAY = call("pay", order="order-7")
DECLARED = {"operation_id": "order", "effect_ref": "id"}
METADATA = {"counterfoil": DECLARED}


def paid(order: str) -> dict[str, str]:
    return {"id": f"ch_{order}"}


def shop() -> tuple[FastMCP, list[str]]:
    """A server that charges cards."""
    server, charged = FastMCP("shop"), list[str]()

    @server.tool
    def pay(order: str) -> dict[str, str]:
        charged.append(order)
        if order == "order-0":
            raise RuntimeError("declined")
        return {"id": "ch_1"}

    return server, charged


@pytest.mark.parametrize("guard", ["off", "enforce"])
def test_a_tool_of_an_mcp_server_is_named_and_its_receipt_kept(guard: str) -> None:
    """Several spans tell of one such call. It is one attempt, and with a guard the second call is none."""
    (server, charged), watched = shop(), Watched()
    agent = watched.agent(
        calls([PAY], [call("pay", order="order-7")]),
        Counterfoil(guard=guard),
        SetToolMetadata(**METADATA),
        toolsets=[MCPToolset(server)],
    )
    agent.run_sync("go")
    assert charged == ["order-7"] * (1 if guard == "enforce" else 2)
    assert watched.said("pay")[0]["counterfoil.effect.ref"] == ("ch_1",)
    assert watched.verdicts()["order-7"] == ("verified_applied" if guard == "enforce" else "unsafe_retry")


@pytest.mark.parametrize("believed", [False, True])
def test_a_servers_word_that_a_call_is_idempotent_is_kept_and_only_an_operator_is_believed(
    believed: bool, tmp_path: Path
) -> None:
    server = FastMCP("shop")
    server.tool(paid, name="pay", annotations={"idempotentHint": True})
    tools = "[tools.pay]\nidempotent = true\n" if believed else ""
    (tmp_path / "counterfoil.toml").write_text(tools, encoding="utf-8")
    config = Config.from_env({"COUNTERFOIL_CONFIG": str(tmp_path / "counterfoil.toml")})
    watched, ledger = Watched(config), f"sqlite:///{tmp_path}/facts.db"
    agent = watched.agent(
        calls([PAY], [call("pay", order="order-7")]),
        Counterfoil(config=replace(config, ledger=ledger)),
        SetToolMetadata(**METADATA),
        toolsets=[MCPToolset(server)],
    )
    agent.run_sync("go")
    intents = [
        fact for fact in open_ledger(ledger).facts(["order-7"]).operations["order-7"] if isinstance(fact, Intent)
    ]
    assert {(one.idempotent_hint, one.hint_trusted) for one in intents} == {(True, believed or None)}
    assert watched.verdicts()["order-7"] == ("verified_applied" if believed else "unsafe_retry")


def test_one_that_fails_over_there_says_so_here() -> None:
    (server, _), watched = shop(), Watched()
    pays = call("pay", order="order-0")
    agent = watched.agent(calls([pays]), Counterfoil(), SetToolMetadata(**METADATA), toolsets=[MCPToolset(server)])
    agent.run_sync("go")
    assert [said["counterfoil.tool.outcome"] for said in watched.said("pay")] == ["retry_asked"]
    assert watched.verdicts() == {"order-0": "indeterminate"}


async def streaming(messages: list[ModelMessage], info: AgentInfo) -> Any:
    if any(isinstance(message, ModelResponse) for message in messages):
        yield "done"
    else:
        yield {0: DeltaToolCall("pay", '{"order": "order-7"}', tool_call_id="p1")}


async def by_run_stream(agent: Agent[Any, Any]) -> None:
    async with agent.run_stream("go") as run:
        assert [text async for text in run.stream_text()][-1] == "done"


async def by_events(agent: Agent[Any, Any]) -> None:
    async with agent.run_stream_events("go") as events:
        assert [event async for event in events]


async def by_iter(agent: Agent[Any, Any]) -> None:
    async with agent.iter("go") as run:
        async for _ in run:
            pass
    assert run.result is not None


@pytest.mark.parametrize("way", [by_run_stream, by_events, by_iter])
def test_in_a_stream_as_in_any_other_run(way: Any) -> None:
    watched = Watched()
    agent = watched.agent(FunctionModel(stream_function=streaming), Counterfoil())
    if way is by_iter:
        agent.model = calls([PAY])
    agent.tool_plain(paid, name="pay", metadata=METADATA)
    asyncio.run(way(agent))
    assert [said["counterfoil.tool.outcome"] for said in watched.said("pay")] == ["success"]
    assert watched.verdicts() == {"order-7": "verified_applied"}


def test_calls_at_once_are_each_their_own_operation() -> None:
    """Each body waits for the others, so that they are truly open together."""
    watched, orders = Watched(), [f"order-{number}" for number in range(4)]
    met, seen = asyncio.Barrier(4), dict[str, str]()

    async def pay(order: str) -> dict[str, str]:
        await met.wait()
        operation = current_operation()
        assert operation is not None
        seen[order] = operation.operation_id
        return paid(order)

    agent = watched.agent(calls([call("pay", order=order) for order in orders]), Counterfoil(guard="enforce"))
    agent.tool_plain(pay, name="pay", metadata=METADATA)
    asyncio.run(agent.run("go"))
    assert seen == {order: order for order in orders}
    assert watched.verdicts() == dict.fromkeys(orders, "verified_applied")


def test_an_output_function_is_left_alone() -> None:
    """It is the run's own end, and no tool: nothing is named, held or kept for it."""

    def receipt(order: str) -> str:
        assert current_operation() is None
        return f"receipt for {order}"

    watched = Watched()
    agent = watched.agent(
        FunctionModel(lambda _, info: ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {"order": "7"})])),
        Counterfoil(guard="enforce", advice="required"),
        output_type=receipt,
    )
    assert agent.run_sync("go").output == "receipt for 7"
    assert not [
        said for said in watched.said("receipt", "execute_tool final_result") if "counterfoil.operation.id" in said
    ]


SPEC = {
    "model": "test",
    "capabilities": [{"Counterfoil": {"guard": "enforce", "advice": "required", "ledger": "memory:"}}],
}
YAML = """
model: test
capabilities:
  - Counterfoil:
      guard: enforce
      advice: required
      ledger: 'memory:'
"""


@pytest.mark.parametrize(("name", "text"), [("agent.json", json.dumps(SPEC)), ("agent.yaml", YAML)])
def test_an_agent_s_file_may_name_it(name: str, text: str, tmp_path: Path) -> None:
    path, charged = tmp_path / name, list[str]()
    path.write_text(text)
    agent = Agent.from_file(
        path, custom_capability_types=[Counterfoil], model=calls([PAY], [call("pay", order="order-7")])
    )

    @agent.tool_plain(metadata=METADATA)
    def pay(order: str) -> dict[str, str]:
        charged.append(order)
        return {"id": "ch_1"}

    assert agent.run_sync("go").output == "done"
    assert charged == ["order-7"], "the guard that the file names holds the second"


def test_what_an_operator_s_file_says_holds_where_the_tool_says_nothing() -> None:
    config = Config(tools={"pay": ToolConfig(side_effect=True, advice="required")})
    watched = Watched()
    agent = watched.agent(calls([PAY]), Counterfoil(config=config))
    agent.tool_plain(paid, name="pay")
    agent.run_sync("go")
    assert watched.said("pay")[0]["counterfoil.advice"] == "missing"
