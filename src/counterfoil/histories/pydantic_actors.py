"""What the self-check plays its stories with: an agent that pays once, without a network and without a key."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai import Agent, RunContext, UserPromptNode
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.capabilities.abstract import AgentNode
from pydantic_ai.exceptions import RunCancelled
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturn,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from counterfoil.reading.hashing import payload_hash
from counterfoil.reading.identity import derived_operation_id
from counterfoil.receipts import RECEIPT, Receipt, sign

KEY = b"only for the self-check"
PATIENCE_S = 30.0
"""So long, in seconds, a story waits for the framework to reach its tool."""

TOOL, CALL = "pay", "call_1"
ARGUMENTS = {"amount": 5}
CONTRACT = {"provenance": "server_store", "expects_system_prompt": True, "side_effect_tools": [TOOL]}

Pay = Callable[[RunContext[None], int], Awaitable[ToolReturn | str]]


async def pay_and_sign(ctx: RunContext[None], amount: int) -> ToolReturn:
    """Pays, and keeps a signed receipt beside the result, as a server would."""
    request = payload_hash({"amount": amount}, KEY) or ""
    operation = derived_operation_id(ctx.conversation_id, ctx.tool_call_id, request) or ""
    receipt = Receipt(operation_id=operation, payload_hash=request, effect_ref=f"payment-{ctx.run_id}")
    return ToolReturn(return_value="paid", metadata={RECEIPT: sign(receipt, KEY)})


async def pay_without_receipt(ctx: RunContext[None], amount: int) -> str:
    return "paid"


class First(AbstractCapability[None]):
    """Keeps the messages that a run begins with, as a hook before its first node sees them."""

    def __init__(self) -> None:
        self.messages: list[ModelMessage] = []

    async def before_node_run(self, ctx: RunContext[None], *, node: AgentNode[None]) -> AgentNode[None]:
        if isinstance(node, UserPromptNode):
            self.messages = list(ctx.messages)
        return node


def payer(pay: Pay = pay_and_sign) -> Agent[None, str]:
    """Calls its tool once for each prompt, then says that it is done."""
    agent = Agent(FunctionModel(_call_then_talk), name="payer", system_prompt="You pay.", deps_type=type(None))
    agent.tool(name=TOOL)(pay)
    return agent


def _call_then_talk(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    if any(isinstance(part, UserPromptPart) for part in messages[-1].parts):
        return ModelResponse(parts=[ToolCallPart(TOOL, ARGUMENTS, tool_call_id=CALL)])
    return ModelResponse(parts=[TextPart("done")])


async def stopped_while_paying() -> list[ModelMessage]:
    """What the framework leaves behind when a run's task is cancelled with a call in flight."""
    paying = asyncio.Event()

    async def pay_for_ever(ctx: RunContext[None], amount: int) -> str:
        paying.set()
        await asyncio.Event().wait()
        return "never"

    run = asyncio.ensure_future(payer(pay_for_ever).run("pay"))
    await asyncio.wait_for(paying.wait(), PATIENCE_S)
    run.cancel()
    try:
        await run
    except asyncio.CancelledError as cancelled:
        left = RunCancelled.from_cancellation(cancelled)
        return left.all_messages() if left is not None else []
    return []


def without(kind: type, messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """The list with parts of this kind taken out, and without the messages that are empty then."""
    kept: list[Any] = [
        replace(message, parts=[part for part in message.parts if not isinstance(part, kind)])  # type: ignore[arg-type]
        for message in messages
    ]
    return [message for message in kept if message.parts]


def results(messages: Sequence[ModelMessage]) -> list[ToolReturnPart]:
    return [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
