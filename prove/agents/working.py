"""Many operations in one process, so many at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import httpx

from prove.agents.client import Client
from prove.agents.clerk import clerk, script
from prove.desk.looking import look
from prove.plan import Plan

AT_ONCE = 32


async def work(plans: Sequence[Plan], wire: int) -> None:
    """Carry out the plans by Pydantic AI's agent. What the model makes of failures is not our business here."""
    agent, room = clerk(), asyncio.Semaphore(AT_ONCE)
    limits = httpx.Limits(max_connections=4 * AT_ONCE, max_keepalive_connections=AT_ONCE)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{wire}", limits=limits) as http:

        async def one(plan: Plan) -> None:
            async with room:
                curious = [asyncio.create_task(_early(http, plan))] if plan.look == "early" else []
                await agent.run("Do it.", model=script(plan), deps=Client(http, plan), conversation_id=plan.name)
                await asyncio.gather(*curious)

        await asyncio.gather(*(one(plan) for plan in plans))


async def _early(http: httpx.AsyncClient, plan: Plan) -> None:
    """Somebody looks while the agent works."""
    await asyncio.sleep((plan.amount % 100) / 200)
    for operation in plan.operations:
        await look(http, plan, operation)
