"""What is told of an operation, once for each revision."""

from __future__ import annotations

from dataclasses import dataclass, replace

from counterfoil.judge import Judgement
from counterfoil.rules import CONVICTIONS
from counterfoil.verdicts import PAGES, Finding, Outcome, Reason, Severity, Verdict

DECLARED, KEYED, DERIVED = "declared", "idempotency_key", "derived"
"""How an operation got its name."""


@dataclass(frozen=True, slots=True)
class Said:
    """The part of a telling that is news. What says the same is not told again."""

    verdict: Verdict
    outcome: Outcome
    findings: tuple[Finding, ...]
    reason: Reason | None
    severity: Severity
    resolved: bool
    effects: int
    refs: tuple[str, ...]

    @property
    def incident(self) -> Verdict | None:
        """The verdict, if a person must act on it and nobody has."""
        return self.verdict if self.verdict in PAGES and not self.resolved else None


@dataclass(frozen=True, slots=True)
class Telling:
    """One revision. ``settled``: nothing was heard of the operation for its settling time.

    ``since``: when the operation was first observed, nanoseconds since 1970. ``new_attempts``: how many of its attempts
    have not been told before.
    """

    judgement: Judgement
    said: Said
    revision: int
    settled: bool
    since: int
    new_attempts: int
    twin_of: str | None = None

    @property
    def operation_id(self) -> str:
        return self.judgement.operation.operation_id

    @property
    def identity_source(self) -> str:
        """Declared, made from an idempotency key, or derived from the call."""
        sources = {intent.id_source for intent in self.judgement.operation.intents}
        if not sources - {None, DECLARED}:
            return DECLARED
        return KEYED if sources <= {None, DECLARED, KEYED} else DERIVED


def said(judgement: Judgement, severity: Severity, *, partial: bool = False) -> Said:
    """What is news of a judgement. In part of the facts the surplus may seem to be reversed when it isn't."""
    return Said(
        judgement.verdict,
        judgement.outcome,
        judgement.findings,
        judgement.reason,
        severity,
        judgement.resolved and not partial,
        judgement.effect_count,
        judgement.effect_refs,
    )


def withheld(judgement: Judgement, *, bereft: bool = False) -> Judgement:
    """The same without all that forgotten facts might change: convictions stay, the rest is doubt.

    ``bereft``: an operation that it shares something with was forgotten. Then nobody knows whose an effect is, or how
    many were meant together, and a duplicate is one only if a look of the operation's own counted it.
    """
    if judgement.operation.is_read:
        return judgement
    findings = tuple(finding for finding in judgement.findings if finding in CONVICTIONS)
    outcome = judgement.outcome
    if outcome not in CONVICTIONS or (bereft and not _counted(judgement)):
        outcome = Outcome.INDETERMINATE
    verdict: Verdict = findings[0] if findings else outcome
    if verdict is judgement.verdict and outcome is judgement.outcome and judgement.reason not in _VAGUE:
        return replace(judgement, findings=findings)
    known = tuple(sorted(judgement.operation.facts, key=lambda fact: fact.observed_at))
    told: tuple[Verdict, ...] = (outcome, *findings)
    borne_out = {word: judgement.borne_out.get(word, known) for word in told}
    reason = Reason.TELEMETRY_GAP if outcome is Outcome.INDETERMINATE else None
    return replace(
        judgement,
        verdict=verdict,
        outcome=outcome,
        findings=findings,
        reason=reason,
        witnesses=borne_out[verdict],
        borne_out=borne_out,
    )


_VAGUE = (Reason.AMBIGUOUS, Reason.UNVERIFIED)
"""Doubts that come after missing telemetry: they only say that nothing else was found."""


def _counted(judgement: Judgement) -> bool:
    most = judgement.case.holdings.most
    return most is not None and (most.count or 0) > judgement.operation.expected_count
