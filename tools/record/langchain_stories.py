"""What a LangChain agent lives through while it is recorded: one set of stories, for whoever instruments it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from recording import Stories

CALL: dict[str, Any] = {"order": "17", "amount": 5}
WITHOUT_CONTENT = ("good", "raises", "parallel-same-arguments")
Calls = list[tuple[str, dict[str, Any]]]


class Scripted(GenericFakeChatModel):
    """A model that makes the calls that it was given, whatever tools it is shown."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self


def scripted(*turns: Calls) -> Scripted:
    said = [
        AIMessage("", tool_calls=[{"name": "charge", "args": said, "id": name} for name, said in calls])
        for calls in turns
    ]
    return Scripted(messages=iter([*said, AIMessage("done")]))


def record(stories: Stories, *, suffix: str = "", each: Callable[[], AbstractContextManager[object]]) -> None:
    """Every story once; ``each`` is around each of them."""

    @tool("charge")
    async def charged(order: str, amount: int) -> str:
        """Charge an order."""
        stories.ran += 1
        return f"ch_{stories.ran}"

    @tool("charge")
    async def broken(order: str, amount: int) -> str:
        """Charge an order."""
        stories.ran += 1
        raise RuntimeError("the provider hung up")

    @tool("charge")
    async def hanging(order: str, amount: int) -> str:
        """Charge an order."""
        stories.ran += 1
        await asyncio.sleep(60)
        return "never"

    told: dict[str, tuple[Any, tuple[Calls, ...], float | None]] = {
        "good": (charged, ([("call-1", CALL)],), None),
        "raises": (broken, ([("call-1", CALL)],), None),
        "parallel-same-arguments": (charged, ([("call-1", CALL), ("call-2", CALL)],), None),
        "ids-reused": (charged, ([("call-1", CALL)], [("call-1", {**CALL, "order": "18"})]), None),
        "ids-and-arguments-reused": (charged, ([("call-1", CALL)], [("call-1", CALL)]), None),
        "validation": (charged, ([("call-1", {**CALL, "amount": "much"})], [("call-2", CALL)]), None),
        "cancelled": (hanging, ([("call-1", CALL)],), 0.1),
    }
    for name, (body, turns, within) in told.items():
        if suffix and name not in WITHOUT_CONTENT:
            continue
        with stories.story(name + suffix), each():
            agent = create_agent(scripted(*turns), [body])
            asked = agent.ainvoke(
                {"messages": [("user", "charge order 17")]}, {"configurable": {"thread_id": "conversation-1"}}
            )
            asyncio.run(asyncio.wait_for(asked, within))
