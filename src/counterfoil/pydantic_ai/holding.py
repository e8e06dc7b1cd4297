"""Holding a repeat: the evidence is asked before the body runs, and one of those who would run it has the turn."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from opentelemetry.trace import Span
from pydantic_ai.exceptions import ApprovalRequired, ToolFailed
from pydantic_ai.models import Model
from pydantic_ai.tools import RunContext

from counterfoil import names
from counterfoil.ledger import AddressError, LedgerFault
from counterfoil.pydantic_ai.calls import Call
from counterfoil.pydantic_ai.declaring import KEY, Declared, Guard
from counterfoil.pydantic_ai.guarding import Decision, Ruling, ruling_on, turn
from counterfoil.pydantic_ai.keeping import Keeping
from counterfoil.pydantic_ai.probing import looked
from counterfoil.pydantic_ai.second_opinion import note_on
from counterfoil.stated import Stated

BLOCKED = "blocked_by_guard"
MAX_RESULTS = 256
"""So many results are kept in this process, to be given back; of more, the oldest is let go."""

_TAKEN = Ruling(False, words="somebody else is doing it at this moment. Don't repeat it; check the target later.")


@dataclass(frozen=True, slots=True)
class Answer:
    """What is given back instead of running the tool."""

    value: Any


class Holding:
    """Decides for the tools of one agent. Results stay in this process; a ledger holds no content."""

    def __init__(self, keeping: Keeping, advisor: Model | str | None = None) -> None:
        self._keeping = keeping
        self._advisor = advisor
        self._results: OrderedDict[str, tuple[str | None, Any]] = OrderedDict()

    def remember(self, one: Call, result: Any) -> None:
        """A result that may be given back to a repeat of this call."""
        self._results[one.operation_id] = (one.run_id, result)
        if len(self._results) > MAX_RESULTS:
            self._results.popitem(last=False)

    async def answer(
        self,
        ctx: RunContext[Any],
        says: Declared,
        one: Call,
        stated: Stated,
        *,
        args: Mapping[str, Any],
        span: Span,
    ) -> Answer | None:
        """None: run the body; its intent is stated. Raises `ToolFailed` or `ApprovalRequired` where it is held."""
        try:
            ruling = await self._ruling(ctx, says, one, stated, args)
        except (LedgerFault, AddressError) as fault:
            ruling = Ruling(False, words=f"its ledger can't be used ({fault}), so that a repeat would not be noticed.")
        except Exception as error:
            ruling = Ruling(False, words=f"its guard failed ({type(error).__name__}), so that a repeat is possible.")
        decision = self._decision(says, one, ruling)
        span.set_attributes({names.GUARD_MODE: str(says.guard), names.GUARD_DECISION: str(decision)})
        if decision is Decision.GO:
            return None
        if says.guard is Guard.ADVISE:
            self._keeping.begin_anyway(one, says)
            return None
        span.set_attributes({names.EXECUTED: False, names.PROOF: BLOCKED, names.TOOL_OUTCOME: "held"})
        if decision is Decision.ASK:
            self._keeping.wait(one, says)
        note = None
        if decision is Decision.ASK and self._advisor is not None:
            note = await note_on(ctx, self._advisor, f"{one.tool} was not run: {ruling.words}", span)
        return self._held(one, ruling, decision, note)

    async def _ruling(
        self, ctx: RunContext[Any], says: Declared, one: Call, stated: Stated, args: Mapping[str, Any]
    ) -> Ruling:
        notebook = self._keeping.notebook
        known = notebook.look(one.operation_id)
        ruling = ruling_on(known)
        if not ruling.go and not ruling.applied:
            if looks := await looked(says, one, stated, args):
                notebook.add(looks)
                known = notebook.look(one.operation_id)
                ruling = ruling_on(known)
            if not ruling.go and not ruling.applied and _approved(ctx, one):
                ruling = Ruling(go=True)
        if not ruling.go:
            if ruling.supposed is not None and says.guard is Guard.ENFORCE:
                notebook.add([ruling.supposed])
            return ruling
        if not notebook.add([turn(one.operation_id, known)]):
            return _TAKEN
        notebook.add([one.intent(says)])
        return ruling

    def _decision(self, says: Declared, one: Call, ruling: Ruling) -> Decision:
        if ruling.go:
            return Decision.GO
        if ruling.applied:
            return Decision.GIVE_BACK if says.give_back and self._has(one) else Decision.REFUSE
        return Decision.ASK if says.ask else Decision.REFUSE

    def _has(self, one: Call) -> bool:
        """A derived name may stand for two calls of different runs: only a repeat in the same run has the result."""
        run_id, _ = self._results.get(one.operation_id, (None, None))
        return one.operation_id in self._results and (one.id_source is None or run_id == one.run_id)

    def _held(self, one: Call, ruling: Ruling, decision: Decision, note: str | None) -> Answer:
        words = f"{one.tool} was not run: {ruling.words}"
        if decision is Decision.GIVE_BACK:
            return Answer(self._results[one.operation_id][1])
        if decision is Decision.ASK:
            asked = {"operation_id": one.operation_id, "known": words} | ({"note": note} if note else {})
            raise ApprovalRequired(metadata={KEY: asked})
        raise ToolFailed(words)


def _approved(ctx: RunContext[Any], one: Call) -> bool:
    """A person decided about this doubt: the approval carries back what it was asked with. One that was given for the
    call alone, before there was any doubt, is none."""
    carried = (ctx.tool_call_metadata or {}).get(KEY) if ctx.tool_call_approved else None
    return isinstance(carried, Mapping) and carried.get("operation_id") == one.operation_id
