"""An operation that waits for a person: who decides what, until when, and by what it is carried on.

Waiting is legitimate while its window is open. Past that it is stalled: nobody decided, and nothing goes on by itself.
It changes no verdict.
"""

from __future__ import annotations

from dataclasses import dataclass

from counterfoil.facts import DENIED, HUMAN, Fact, Intent
from counterfoil.operations import Operation
from counterfoil.records import LAST, rfc3339

_SECOND = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Waiting:
    """``until`` is in nanoseconds since 1970, None where the wait has no end, or none in the years that can be written
    down. ``resume_token`` is a fingerprint."""

    owner: str
    decision: str
    until: int | None
    resume_token: str | None

    def is_stalled(self, now: int) -> bool:
        return self.until is not None and now > self.until

    def words(self, now: int) -> str:
        """For people."""
        token = f", to be resumed by {self.resume_token}" if self.resume_token is not None else ""
        if self.until is None:
            return f"waits for {self.owner} to decide {self.decision}{token}"
        if self.is_stalled(now):
            return f"stalled since {rfc3339(self.until)}: {self.owner} did not decide {self.decision}{token}"
        return f"waits for {self.owner} to decide {self.decision} until {rfc3339(self.until)}{token}"


def waiting_of(operation: Operation) -> Waiting | None:
    """What an operation waits for; None once it was decided: approved, denied, carried out, or settled by a person."""
    asked = next((intent for intent in reversed(operation.intents) if intent.waits_for is not None), None)
    if asked is None or any(_decides(fact, asked) for fact in operation.facts):
        return None
    if any(one.at > asked.observed_at for one in operation.dispatches if one.executed or one.proof == DENIED):
        return None
    until = LAST + 1 if asked.wait_s is None else asked.observed_at + int(asked.wait_s * _SECOND)
    ends = until if until <= LAST else None
    return Waiting(str(asked.waits_for), asked.decision or "what is to be done", ends, asked.resume_token)


def _decides(fact: Fact, asked: Intent) -> bool:
    if fact.observed_at < asked.observed_at or fact is asked:
        return False
    return (isinstance(fact, Intent) and fact.approved is True) or getattr(fact, "source", None) == HUMAN
