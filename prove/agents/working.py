"""Many operations in one process, so many at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import httpx
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset

from prove.agents.clerk import clerk, running, script
from prove.agents.client import Client, Run
from prove.desk.looking import look
from prove.plan import Plan

AT_ONCE = 32


def by_pydantic_ai() -> Run:
    """Pydantic AI's agent with its own tools."""
    agent = clerk()
    return running(lambda: agent)


def by_mcp(server: int) -> Run:
    """The same agent, with the tools of an MCP server instead of its own."""
    agent: Agent[Client, str] = Agent(deps_type=Client, output_type=str, name="clerk")
    tools = MCPToolset[Client](f"http://127.0.0.1:{server}/mcp", tool_error_behavior="failed")
    return lambda client: agent.run(
        "Do it.", model=script(client.plan), deps=client, conversation_id=client.plan.name, toolsets=[tools]
    )


async def work(plans: Sequence[Plan], wire: int, desk: str, run: Run) -> None:
    """Carry out the plans. What the model makes of failures is not our business here."""
    room = asyncio.Semaphore(AT_ONCE)
    limits = httpx.Limits(max_connections=4 * AT_ONCE, max_keepalive_connections=AT_ONCE)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{wire}", limits=limits) as http:

        async def one(plan: Plan) -> None:
            async with room:
                curious = asyncio.create_task(_curious(http, plan, f"{desk}/look?provider={wire}"))
                await run(Client(http, plan))
                await curious

        ended = await asyncio.gather(*(one(plan) for plan in plans), return_exceptions=True)
    for problem in ended:
        if problem is not None:  # a run that crashed is a run, and is judged like any other
            print(f"{type(problem).__name__}: {problem}", flush=True)


async def _curious(http: httpx.AsyncClient, plan: Plan, desk: str) -> None:
    """Somebody looks while the agent works: here, or on another host."""
    if plan.look not in ("early", "lagging", "elsewhere"):
        return
    await asyncio.sleep((plan.amount % 100) / 200)
    for operation in plan.operations:
        if plan.look == "elsewhere":
            await http.post(f"{desk}&reference={operation}", timeout=30)
        else:
            await look(http, plan, operation)
