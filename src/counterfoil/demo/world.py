"""What a story can use: the agent, the provider with its plans, and somebody who looks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import httpx
from opentelemetry import trace
from pydantic_ai import Agent

from counterfoil import names
from counterfoil.demo.agent import Call, clerk, script
from counterfoil.demo.launch import Provider
from counterfoil.demo.tools import Client, operation_id

Contract = Callable[[Mapping[str, object]], bool]
"""Whether an object is what was asked for."""

RESOURCES = {
    "charge_card": ("payments", "order"),
    "find_payments": ("payments", "order"),
    "create_ticket": ("tickets", "case"),
    "send_mail": ("mail", "letter"),
}
"""For each tool: what it makes at the provider, and which argument is the caller's own name for it."""

READS = frozenset({"find_payments"})


@dataclass(frozen=True, slots=True)
class Task:
    """One thing that the agent is asked to do, under the caller's own reference."""

    tool: str
    reference: str
    arguments: Mapping[str, object] = field(default_factory=dict)

    @property
    def operation_id(self) -> str:
        return operation_id(self.tool, self.reference)

    @property
    def resource(self) -> str:
        return RESOURCES[self.tool][0]

    @property
    def is_read(self) -> bool:
        return self.tool in READS

    def but(self, **arguments: object) -> Task:
        """The same task with other arguments: for the provider another payload."""
        return replace(self, arguments={**self.arguments, **arguments})

    def as_call(self) -> Call:
        return Call(self.tool, {RESOURCES[self.tool][1]: self.reference, **self.arguments})


@dataclass(frozen=True)
class World:
    """One provider, one agent, and one HTTP client for all tools."""

    provider: Provider
    http: httpx.AsyncClient
    agent: Agent[Client, str] = field(default_factory=clerk)

    async def agent_does(
        self, *tasks: Task, patience_s: float = 10.0, attempts: int = 1, new_key_per_attempt: bool = False
    ) -> None:
        """One run of the agent, which calls a tool for each task. The keywords are the HTTP client's habits."""
        client = Client(self.http, patience_s, attempts, new_key_per_attempt)
        await self.agent.run("Do it.", model=script([task.as_call() for task in tasks]), deps=client)

    def look(self, task: Task, contract: Contract | None = None) -> None:
        """Ask the provider's own book what it holds for a task, and put the answer into telemetry as a probe's span.

        With a contract, each object is held against it.
        """
        about: dict[str, str | bool] = {
            names.OPERATION_ID: task.operation_id,
            names.EFFECT_SOURCE: "probe",
            names.EFFECT_AUTHORITATIVE: True,
        }
        tracer = trace.get_tracer("counterfoil-demo.checker")
        with tracer.start_as_current_span(f"count {task.resource}", attributes=about) as span:
            objects = self.provider.held(task.resource, task.reference)
            span.set_attribute(names.EFFECT_COUNT, len(objects))
        if contract is None:
            return
        for made in objects:
            with tracer.start_as_current_span(f"inspect {task.resource}", attributes=about) as span:
                span.set_attributes({names.EFFECT_REF: str(made["id"]), names.EFFECT_CONFORMS: contract(made)})
