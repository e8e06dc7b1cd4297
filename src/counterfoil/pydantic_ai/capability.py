"""The capability: one line in an agent, and its tools' operations are named, their receipts kept, their repeats held.

It stands inside the agent's instrumentation and beside other capabilities, in any order. What goes wrong in here is
logged and the tool runs as if it weren't there; only a guard that enforces holds a tool when it can't read its ledger.
Output functions are left alone, and so are the Advisor's consultations, which are no effects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from opentelemetry import trace
from opentelemetry.trace import Span
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.capabilities.abstract import AgentNode, WrapToolExecuteHandler
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.tools import AgentDepsT, RunContext, ToolDefinition

from counterfoil import names
from counterfoil.config import Config
from counterfoil.histories.pydantic_terms import Contract
from counterfoil.pydantic_ai.calls import Call, call_of
from counterfoil.pydantic_ai.consulting import is_consultation
from counterfoil.pydantic_ai.declaring import Declared, Guard, complain, declared
from counterfoil.pydantic_ai.holding import Holding
from counterfoil.pydantic_ai.keeping import Keeping
from counterfoil.pydantic_ai.outcomes import SUCCESS, outcome_of
from counterfoil.pydantic_ai.receiving import received
from counterfoil.pydantic_ai.resuming import ContractOf, Resume, Resuming
from counterfoil.stated import Stated, in_force, settings


@dataclass
class Counterfoil(AbstractCapability[AgentDepsT]):
    """``guard``: what is done before a side-effecting tool runs again, where the tool doesn't say (off, advise,
    enforce). ``ledger``: an address such as ``sqlite:///agent.db``, by default what ``COUNTERFOIL_LEDGER`` names; with
    ``memory:`` a guard holds repeats within this process only. ``config``: by default the environment's.

    ``resume``: what is done about a run that resumes from a message history which isn't fit to be replayed (off, tell,
    warn, block). ``contract``: that history's terms, or a function of the run's context that gives them; without
    ``provenance`` in it no history is trusted.
    """

    guard: Guard | str = Guard.OFF
    ledger: str | None = None
    config: Config | None = field(default=None, repr=False)
    id: str | None = "counterfoil"
    resume: Resume | str = Resume.OFF
    contract: Contract | ContractOf | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.guard, self.resume = Guard(self.guard), Resume(self.resume)
        self._config = self.config if self.config is not None else settings()
        self._keeping = Keeping(self._config, self.ledger)
        self._holding = Holding(self._keeping)
        self._resuming = Resuming(self.resume, self.contract, self._config, self._keeping)

    async def before_node_run(
        self, ctx: RunContext[AgentDepsT], *, node: AgentNode[AgentDepsT]
    ) -> AgentNode[AgentDepsT]:
        """Look at the history that a run resumes from, before its first request and before any repair."""
        await self._resuming.look(ctx, node)
        return node

    async def wrap_tool_execute(
        self,
        ctx: RunContext[AgentDepsT],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: WrapToolExecuteHandler,
    ) -> Any:
        """Name the call's operation, hold it or run it, and keep what came of it."""
        span = trace.get_current_span()
        if is_consultation(tool_def):
            span.set_attribute(names.SIDE_EFFECT, False)
            return await handler(args)
        known = self._known(ctx, call, tool_def, args, span)
        if known is None:
            return await handler(args)
        says, one, stated = known
        if says.guard is not Guard.OFF:
            held = await self._holding.answer(ctx, says, one, stated, args=args, span=span)
            if held is not None:
                return held.value
        elif says.side_effect:
            self._keeping.begin(one, says)
        return await self._run(says, one, stated, args, handler=handler, span=span)

    def _known(
        self,
        ctx: RunContext[AgentDepsT],
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: Mapping[str, Any],
        span: Span,
    ) -> tuple[Declared, Call, Stated] | None:
        """What the call is; None where there is nothing more to do, and where we fail."""
        try:
            says = declared(tool_def, self._config.tool(tool_def.name), Guard(self.guard))
            if says.side_effect is not None:
                span.set_attribute(names.SIDE_EFFECT, says.side_effect)
            if says.side_effect is False:
                return None
            one = call_of(ctx, call, says, args, config=self._config, span=span)
            span.set_attribute(names.OPERATION_ID, one.operation_id)
            if one.payload_hash is not None:
                span.set_attribute(names.REQUEST_HASH, one.payload_hash)
            return says, one, Stated(one.operation_id, one.tool, one.intent_ref)
        except Exception as error:
            complain(call.tool_name, f"its call could not be read: {type(error).__name__}")
            return None

    async def _run(
        self,
        says: Declared,
        one: Call,
        stated: Stated,
        args: dict[str, Any],
        *,
        handler: WrapToolExecuteHandler,
        span: Span,
    ) -> Any:
        outcome = SUCCESS
        try:
            with in_force(stated, in_baggage=False):
                result = await handler(args)
            result = received(result, says, one, stated, self._config.hash_key)
            if says.guard is Guard.ENFORCE:
                self._holding.remember(one, result)
            return result
        except BaseException as error:
            outcome = outcome_of(error)
            raise
        finally:
            self._keeping.end(one, says, stated, outcome, span)
