"""Pydantic AI's agent: its tools are small HTTP clients, its model plays the calls that a plan has for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from opentelemetry import trace
from pydantic_ai import Agent, RunContext, Tool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from prove.agents.client import Client, NoAnswer, Run
from prove.plan import ASYNC, Plan

Made = dict[str, object]
Make = Callable[[RunContext[Client], str, int], Awaitable[Made]]
"""A tool's function."""
NAMED_BY_HAND = ("content_off", "truncated", "split")
"""Cohorts whose tools say by themselves which operation this is and what the receipt is: content may not be there.
What a promise is, tools always say: settings can't."""


async def make_payments(ctx: RunContext[Client], reference: str, amount: int) -> Made:
    """Charge a card."""
    return await _make(ctx, reference, amount)


async def make_tickets(ctx: RunContext[Client], reference: str, amount: int) -> Made:
    """Open a ticket."""
    return await _make(ctx, reference, amount)


async def make_mail(ctx: RunContext[Client], reference: str, amount: int) -> Made:
    """Send a mail."""
    return await _make(ctx, reference, amount)


async def make_jobs(ctx: RunContext[Client], reference: str, amount: int) -> Made:
    """Start a job."""
    return await _make(ctx, reference, amount)


async def find(ctx: RunContext[Client], reference: str) -> Made:
    """Look what is there."""
    trace.get_current_span().set_attribute("counterfoil.operation.id", reference)
    try:
        return await ctx.deps.find(reference)
    except NoAnswer as problem:
        raise ToolFailed(str(problem)) from None


TOOLS: list[Tool[Client]] = [Tool(one) for one in (make_payments, make_tickets, make_mail, make_jobs, find)]


def clerk(
    tools: Sequence[Tool[Client]] = TOOLS, capabilities: Sequence[AbstractCapability[Client]] = ()
) -> Agent[Client, str]:
    """The agent of every plan. Each run brings its script."""
    return Agent(deps_type=Client, output_type=str, name="clerk", tools=tools, capabilities=capabilities)


def with_each(wrap: Callable[[Make], Make]) -> list[Tool[Client]]:
    """The tools, each that makes something in a wrapping of its own."""
    return [tool if tool.name == "find" else Tool(wrap(tool.function)) for tool in TOOLS]


def running(agent: Callable[[], Agent[Client, str]]) -> Run:
    """How this agent is run: with its plan's script, in a conversation that is named for the plan."""
    return lambda client: agent().run(
        "Do it.", model=script(client.plan), deps=client, conversation_id=client.plan.name
    )


async def _make(ctx: RunContext[Client], reference: str, amount: int) -> Made:
    plan = ctx.deps.plan
    span = trace.get_current_span()
    if plan.contract == "scoped":  # only the application knows where its keys are known
        span.set_attribute("counterfoil.key_scope", "account" if plan.habit != "failover" else "any account")
    if plan.telemetry in NAMED_BY_HAND:
        span.set_attribute("counterfoil.operation.id", reference)
    try:
        made = await ctx.deps.make(reference, amount)
    except NoAnswer as problem:
        raise ToolFailed(str(problem)) from None
    if "id" in made and (plan.resource in ASYNC or plan.telemetry in NAMED_BY_HAND):
        span.set_attributes({"counterfoil.effect.ref": str(made["id"]), "counterfoil.effect.authoritative": True})
        if plan.resource in ASYNC:
            span.set_attribute("counterfoil.effect.stage", "accepted")
    return made


def script(plan: Plan) -> FunctionModel:
    """A model that makes the plan's calls, and then says that all is done, whatever came back."""
    tool = f"{'remote' if plan.framework == 'mcp' else 'make'}_{plan.resource}" if plan.habit != "read" else "find"

    def call(number: int, reference: str) -> ToolCallPart:
        arguments: dict[str, object] = {"reference": reference}
        if plan.habit != "read":
            arguments["amount"] = plan.amount + (number if plan.habit in ("key_reused", "key_redrawn") else 0)
        return ToolCallPart(tool, arguments, tool_call_id=f"call_{plan.number}_{number}")

    turns = [[call(number, reference)] for number, reference in enumerate(plan.operations)]
    if plan.habit == "twins":
        turns = [[call(0, plan.name), call(1, plan.name)]]
    if plan.habit == "key_redrawn":
        turns = [[call(0, plan.name)], [call(1, plan.name)]]

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        return ModelResponse(parts=list(turns[turn]) if turn < len(turns) else [TextPart("That is done.")])

    return FunctionModel(model, model_name="script")
