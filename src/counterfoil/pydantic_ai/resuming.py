"""Before the first request of a run that resumes from a message list: is the list fit to be replayed?

It is audited as it was handed over, before Pydantic AI repairs it. By ``resume``: `tell` says the verdict as telemetry
and lets the run go on, `warn` logs it as well, `block` refuses a list that isn't ready, with `HistoryRefused`. A list
that can't be audited (it can't be stored, the ledger can't answer, the contract can't be read) is counted in
``counterfoil.errors`` and goes on, but under `block` it is refused: who asked for that asked for an answer, and there
is none. A run without a history isn't looked at. The audit runs in a thread of its own, so that no event loop waits.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from functools import partial
from typing import Any

import anyio.to_thread
from pydantic_ai import DeferredToolRequests, UserPromptNode
from pydantic_ai.conversation import Conversation
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.tools import DeferredToolResults, RunContext

from counterfoil.config import Config
from counterfoil.histories.contract import HistoryContract
from counterfoil.histories.history import State
from counterfoil.histories.pydantic_audit import audit_history
from counterfoil.histories.pydantic_repairs import repairs_of
from counterfoil.histories.pydantic_stored import UnreadableHistory
from counterfoil.histories.pydantic_telling import count, tell_audit
from counterfoil.histories.pydantic_terms import Contract, terms_of
from counterfoil.histories.report import Decision, HistoryAudit, Repair
from counterfoil.ledger import AddressError, LedgerFault
from counterfoil.pydantic_ai.declaring import log
from counterfoil.pydantic_ai.keeping import Keeping
from counterfoil.reading.contracts import ContractError
from counterfoil.telling.histories import HistoryTelling


class Resume(StrEnum):
    """What is done about a run that resumes from a list which isn't fit to be replayed."""

    OFF = "off"  # it isn't looked at
    TELL = "tell"
    WARN = "warn"
    BLOCK = "block"


ContractOf = Callable[[RunContext[Any]], Contract]
"""The contract of one run: who resumes whose list is known when it is resumed."""


class HistoryRefused(AgentRunError):
    """The run was not begun: its message list isn't fit to be replayed, or can't be audited. Nothing of what the list
    holds is in here. ``audit``: what was found; None where there could be no audit."""

    def __init__(self, message: str, audit: HistoryAudit | None = None) -> None:
        super().__init__(message)
        self.audit = audit


class Resuming:
    """Audits lists for one agent. ``contract``: their terms, or a function that gives those of one run. Unless it says
    otherwise, the conversation is the run's, and tools that the settings give a side effect are side-effect tools.

    Raises `ContractError` for a wrong contract, unless a function gives it.
    """

    def __init__(self, mode: Resume, contract: Contract | ContractOf | None, config: Config, keeping: Keeping) -> None:
        self._mode = mode
        self._config, self._keeping = config, keeping
        self._contract = contract if callable(contract) or mode is Resume.OFF else terms_of(contract)

    async def look(self, ctx: RunContext[Any], node: object) -> None:
        """Before a node of the run: look at the list if it is the first and there is one. Raises `HistoryRefused` under
        `block`, and nothing else."""
        if self._mode is Resume.OFF or not ctx.messages or not isinstance(node, UserPromptNode):
            return
        try:
            telling = await anyio.to_thread.run_sync(partial(self._audited, ctx, node))
        except Exception as error:
            count(error, ctx.tracer)
            if self._mode is Resume.BLOCK:
                raise HistoryRefused(_unaudited(error)) from None
            return
        tell_audit(telling, ctx.tracer)
        self._decide(telling)

    def _audited(self, ctx: RunContext[Any], node: UserPromptNode[Any, Any]) -> HistoryTelling:
        began = time.time_ns()
        messages = list(ctx.messages)
        audit = audit_history(
            _conversation(messages, ctx.conversation_id, node.deferred_tool_results),
            contract=self._terms(ctx),
            ledger=self._keeping.facts,
            config=self._config,
        )
        if node.deferred_tool_results is not None and audit.state is State.WAITING:  # what it waited for has come
            audit = replace(audit, judgement=replace(audit.judgement, state=None))
        decision = Decision.GO if audit.ready else _DECISIONS[self._mode]
        goes_on = decision is not Decision.REFUSE
        return HistoryTelling(
            audit=audit,
            began=began,
            conversation_id=ctx.conversation_id,
            agent=ctx.agent.name if ctx.agent is not None else None,
            decision=decision,
            repairs=_repairs(messages, has_prompt=node.user_prompt is not None) if goes_on else (),
        )

    def _terms(self, ctx: RunContext[Any]) -> HistoryContract:
        contract = self._contract
        terms = terms_of(contract(ctx) if callable(contract) else contract)
        effects = frozenset(name for name, tool in self._config.tools.items() if tool.side_effect)
        return replace(
            terms,
            conversation_id=terms.conversation_id or ctx.conversation_id,
            side_effect_tools=terms.side_effect_tools or effects,
        )

    def _decide(self, telling: HistoryTelling) -> None:
        audit = telling.audit
        if telling.decision is Decision.GO:
            return
        said = f"{audit.verdict}: {audit.explanation} Way out: {audit.way_out}"
        if telling.decision is Decision.REFUSE:
            findings = ", ".join(audit.findings)
            raise HistoryRefused(f"the run was not resumed: {said}. All findings: {findings}", audit)
        log.warning("a run goes on from a message history that is not ready: %s", said)


_SPEAKABLE = (UnreadableHistory, ContractError, LedgerFault, AddressError)
"""Errors of ours, whose words hold nothing of a list."""

_DECISIONS = {Resume.TELL: Decision.GO, Resume.WARN: Decision.WARN, Resume.BLOCK: Decision.REFUSE}


def _unaudited(error: Exception) -> str:
    """What others' errors say may be content."""
    said = f": {error}" if isinstance(error, _SPEAKABLE) else ""
    return (
        f"the run was not resumed: its message history can't be audited ({type(error).__name__}{said}). "
        'Way out: mend that, or let such runs go on by resume="warn"'
    )


def _conversation(
    messages: list[ModelMessage], conversation_id: str | None, results: DeferredToolResults | None
) -> Conversation | list[ModelMessage]:
    """The list, with the calls that results come for: those were put off, and not interrupted."""
    answered = set() if results is None else results.calls.keys() | results.approvals.keys()
    last = next((message for message in reversed(messages) if isinstance(message, ModelResponse)), None)
    waited = [call for call in last.tool_calls if call.tool_call_id in answered] if last is not None else []
    if not waited or conversation_id is None:
        return messages
    return Conversation(
        messages=messages,
        conversation_id=conversation_id,
        deferred_tool_requests=DeferredToolRequests(calls=waited),
    )


def _repairs(messages: list[ModelMessage], *, has_prompt: bool) -> tuple[Repair, ...]:
    """None known where the framework's own repair breaks, which it will say itself."""
    try:
        return repairs_of(messages, has_prompt=has_prompt)
    except Exception as error:
        count(error)
        return ()
