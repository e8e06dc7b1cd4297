"""What a call leaves behind: an intent before its body runs; then its receipts, and how it ended.

Attempts are the reader's of spans to tell, who sees the requests below the call as well. One is stated here only where
no span is recorded, or where the body provably did nothing.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import cache

from opentelemetry.trace import Span

from counterfoil import names
from counterfoil.config import Config
from counterfoil.facts import DENIED, FROM_INTENT, PROVIDER_REJECTED, Attempt, Claim, Fact, Reported, Transport
from counterfoil.histories.pydantic_known import Facts
from counterfoil.ledger import AddressError, Ledger, LedgerFault, open_ledger
from counterfoil.pydantic_ai.calls import Call
from counterfoil.pydantic_ai.declaring import Declared, Guard, complain
from counterfoil.pydantic_ai.guarding import body_at
from counterfoil.pydantic_ai.notebooks import Durable, InMemory, Notebook
from counterfoil.pydantic_ai.outcomes import Outcome
from counterfoil.reading.hashing import fingerprint
from counterfoil.stated import Stated

PATIENCE_S = 0.25
"""How long one write may keep the agent waiting for a ledger that others hold, in seconds."""

IN_MEMORY = "memory:"


class Keeping:
    """Keeps what one agent states. Safe for threads."""

    def __init__(self, config: Config, address: str | None) -> None:
        self._config = config
        self._address = address or config.ledger
        self._memory = InMemory()

    @property
    def notebook(self) -> Notebook:
        """Raises `LedgerFault` or `AddressError` if there is none at that address."""
        if self._address == IN_MEMORY:
            return self._memory
        return Durable(_ledger(self._address), self._config.settle_after_s)

    @property
    def facts(self) -> Facts:
        """All that is kept, to audit a message list by. Raises `LedgerFault` or `AddressError` as `notebook` does."""
        return self._memory.facts() if self._address == IN_MEMORY else _ledger(self._address)

    def begin(self, one: Call, says: Declared) -> None:
        """State the intent, if it can outlive this process. A ledger that fails costs the intent, not the call."""
        if self._address != IN_MEMORY:
            self._add(one, [one.intent(says)])

    def is_again(self, one: Call, says: Declared) -> bool:
        """Whether this consultation was made before; from now on it was. False where nobody knows."""
        first = Claim(operation_id=one.operation_id, observed_at=0, reported=Reported.ABSENT, by="consulted")
        try:
            is_new = bool(self.notebook.add([first]))  # as a turn has no time, so that it is one fact whoever says it
            self._add(one, [one.intent(says)])
            return not is_new
        except (LedgerFault, AddressError):
            return False

    def denied(self, one: Call, says: Declared) -> None:
        """Keep that a person, or whoever decides for one, did not allow it."""
        outcome = Outcome(DENIED, Transport.STARTED, None, DENIED)
        if says.side_effect and (self._address != IN_MEMORY or says.guard is not Guard.OFF):
            intent = one.intent(says)
            self._add(one, [intent, self._attempt(one, Stated(one.operation_id), outcome, DENIED)])

    def begin_anyway(self, one: Call, says: Declared) -> None:
        """State the intent of a call that a guard only advised against."""
        self._add(one, [one.intent(says)])

    def wait(self, one: Call, says: Declared) -> None:
        """Keep that a person was asked, and until when that may last."""
        self._add(one, [one.waiting(says, self._config.hash_key)])

    def end(self, one: Call, says: Declared, stated: Stated, outcome: Outcome, span: Span) -> None:
        """Keep the receipts and how it ended. Never raises."""
        try:
            span.set_attribute(names.TOOL_OUTCOME, outcome.word)
            span.set_attributes(stated.said(self._config.hash_key))
            if outcome.word == "skipped" and not stated.refs:
                span.set_attribute(names.REPORTED, str(outcome.reported))
            wanted = says.side_effect and (self._address != IN_MEMORY or says.guard is not Guard.OFF)
            if wanted:
                nothing = outcome.proof or (PROVIDER_REJECTED if stated.rejected and not stated.refs else None)
                facts: list[Fact] = [*stated.effects(one.payload_hash)]
                if nothing is not None or one.span is None or self._address == IN_MEMORY:
                    facts.append(self._attempt(one, stated, outcome, nothing))
                elif outcome.reported is Reported.SUCCESS:
                    facts.append(self._claim(one))
                self._add(one, facts)
        except Exception as error:
            complain(one.tool, f"what came of a call could not be kept: {type(error).__name__}")

    def _claim(self, one: Call) -> Claim:
        """That the tool came back well: a later look that finds nothing then contradicts somebody."""
        return Claim(
            operation_id=one.operation_id,
            observed_at=time.time_ns(),
            reported=Reported.SUCCESS,
            by="tool",
            tool=one.tool,
        )

    def _attempt(self, one: Call, stated: Stated, outcome: Outcome, nothing: str | None) -> Attempt:
        trace_id, _, span_id = (one.span or "").partition("/")
        return Attempt(
            operation_id=one.operation_id,
            attempt_id=one.span or body_at(one.stated_at or time.time_ns()),
            observed_at=time.time_ns(),
            trace_id=trace_id or None,
            span_id=span_id or None,
            transport=outcome.transport,
            reported=outcome.reported,
            executed=False if nothing is not None else None,
            proof=nothing,
            payload_hash=one.payload_hash,
            idempotency_key=fingerprint(stated.idempotency_key, self._config.hash_key)
            if stated.key_used
            else FROM_INTENT,
            key_scope=FROM_INTENT,
            tool_call_id=one.tool_call_id,
            run_id=one.run_id,
            id_source=one.id_source,
            advice=one.advice,
        )

    def _add(self, one: Call, facts: Iterable[Fact]) -> None:
        known = list(facts)
        try:
            if known:
                self.notebook.add(known)
        except (LedgerFault, AddressError) as fault:
            complain(one.tool, f"{fault}")


@cache
def _ledger(address: str) -> Ledger:
    """One for each address in this process; ledgers are safe for threads and see to forks themselves."""
    return open_ledger(address, patience_s=PATIENCE_S)
