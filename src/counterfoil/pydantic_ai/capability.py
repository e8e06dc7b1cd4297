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
from pydantic_ai.models import Model, ModelRequestContext
from pydantic_ai.tools import AgentDepsT, RunContext, ToolDefinition

from counterfoil import names
from counterfoil.config import Config
from counterfoil.facts import DENIED
from counterfoil.histories.pydantic_terms import Contract
from counterfoil.pydantic_ai.calls import Call, call_of
from counterfoil.pydantic_ai.consulting import advice_on, is_consultation, result_of, routed
from counterfoil.pydantic_ai.declaring import Declared, Guard, complain, declared
from counterfoil.pydantic_ai.denying import denied_calls
from counterfoil.pydantic_ai.holding import Holding
from counterfoil.pydantic_ai.keeping import Keeping
from counterfoil.pydantic_ai.outcomes import SUCCESS, outcome_of
from counterfoil.pydantic_ai.receiving import received
from counterfoil.pydantic_ai.resuming import ContractOf, Resume, Resuming
from counterfoil.reading.naming import BY_CALL
from counterfoil.stated import Stated, in_force, settings

_A_READ = Declared(side_effect=False)


@dataclass
class Counterfoil(AbstractCapability[AgentDepsT]):
    """``guard``: what is done before a side-effecting tool runs again, where the tool doesn't say (off, advise,
    enforce). ``advice``: ``required`` where an advisor has to be asked before any of them, and a tool doesn't say.
    ``advisor``: the model that is asked about a doubt before a person is (``when_in_doubt``: ``ask``). ``ledger``: an
    address such as ``sqlite:///agent.db``, by default what ``COUNTERFOIL_LEDGER`` names; with ``memory:`` a guard holds
    repeats within this process only. ``config``: by default the environment's.
    """

    guard: Guard | str = Guard.OFF
    advice: str | None = None
    advisor: Model | str | None = field(default=None, repr=False)
    ledger: str | None = None
    config: Config | None = field(default=None, repr=False)
    id: str | None = "counterfoil"
    resume: Resume | str = Resume.OFF
    contract: Contract | ContractOf | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.guard, self.resume = Guard(self.guard), Resume(self.resume)
        self._config = self.config if self.config is not None else settings()
        self._keeping = Keeping(self._config, self.ledger)
        self._holding = Holding(self._keeping, self.advisor)
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
            return await self._consult(ctx, call, args, handler, span)
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

    async def _consult(
        self,
        ctx: RunContext[AgentDepsT],
        call: ToolCallPart,
        args: dict[str, Any],
        handler: WrapToolExecuteHandler,
        span: Span,
    ) -> Any:
        """An advisor is asked: that is told, and never held."""
        is_again, outcome, answer = False, SUCCESS, None
        try:
            span.set_attributes({names.SIDE_EFFECT: False, **routed(ctx)})
            one = call_of(ctx, call, _A_READ, args, config=self._config, span=span)
            is_again = one.id_source == BY_CALL and self._keeping.is_again(one, _A_READ)
        except Exception as error:
            complain(call.tool_name, f"its consultation could not be read: {type(error).__name__}")
        try:
            answer = await handler(args)
            return answer
        except BaseException as error:
            outcome = outcome_of(error)
            raise
        finally:
            said = {names.CONSULT_RESULT: str(result_of(outcome, answer, is_again=is_again))}
            span.set_attributes({names.TOOL_OUTCOME: outcome.word, **said})

    async def before_model_request(
        self, ctx: RunContext[AgentDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Keep what a person did not allow. Never raises."""
        try:
            for call in denied_calls(request_context.messages):
                self._denied(ctx, call, request_context)
        except Exception as error:
            complain("denied", f"a call that was not allowed could not be kept: {type(error).__name__}")
        return request_context

    def _denied(self, ctx: RunContext[AgentDepsT], call: ToolCallPart, request: ModelRequestContext) -> None:
        tools = {tool.name: tool for tool in request.model_request_parameters.function_tools}
        tool_def = tools.get(call.tool_name)
        if tool_def is None or is_consultation(tool_def):
            return
        words = {"gen_ai.operation.name": "execute_tool", names.TOOL_NAME: call.tool_name}
        ids = {"gen_ai.tool.call.id": call.tool_call_id, names.CONVERSATION_ID: ctx.conversation_id or ""}
        with ctx.tracer.start_as_current_span(f"denied {call.tool_name}", attributes={**words, **ids}) as span:
            known = self._known(ctx, call, tool_def, call.args_as_dict(), span)
            span.set_attributes({names.EXECUTED: False, names.PROOF: DENIED, names.TOOL_OUTCOME: DENIED})
            if known is not None:
                self._keeping.denied(known[1], known[0])

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
            says = declared(tool_def, self._config.tool(tool_def.name), Guard(self.guard), self.advice)
            if says.side_effect is not None:
                span.set_attribute(names.SIDE_EFFECT, says.side_effect)
            if says.side_effect is False:
                return None
            one = call_of(ctx, call, says, args, config=self._config, span=span)
            span.set_attribute(names.OPERATION_ID, one.operation_id)
            if one.payload_hash is not None:
                span.set_attribute(names.REQUEST_HASH, one.payload_hash)
            if says.advice:
                one.advice = advice_on(ctx)
                span.set_attribute(names.ADVICE, one.advice)
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
