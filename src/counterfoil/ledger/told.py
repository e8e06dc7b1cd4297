"""What was told of an operation: a register per operation in which the larger revision wins.

A revision is taken down (announced) before it is told and marked as delivered after. One that was announced by a
process which then died may or may not have been told, so it is told again, under a revision of its own: nothing is
lost, and no revision is ever told twice.
"""

from __future__ import annotations

from dataclasses import dataclass

import orjson

from counterfoil.verdicts import Finding, Outcome, Reason, Severity, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The content of a telling. Equal content isn't told again. ``open``: somebody still waits for something."""

    verdict: Verdict
    outcome: Outcome
    findings: tuple[Finding, ...]
    reason: Reason | None
    severity: Severity
    open: bool

    def text(self) -> str:
        values = (self.verdict, self.outcome, self.findings, self.reason, self.severity, self.open)
        return orjson.dumps(values).decode()

    @classmethod
    def read(cls, text: str) -> Said:
        verdict, outcome, findings, reason, severity, is_open = orjson.loads(text)
        return cls(
            verdict=_VERDICTS[verdict],
            outcome=Outcome(outcome),
            findings=tuple(map(Finding, findings)),
            reason=None if reason is None else Reason(reason),
            severity=Severity(severity),
            open=is_open,
        )


@dataclass(frozen=True, slots=True)
class Told:
    """One revision, counted from 1. ``at``: nanoseconds since 1970 by the teller's clock."""

    operation_id: str
    revision: int
    said: Said
    at: int
    delivered: bool = False


_VERDICTS: dict[str, Verdict] = {str(verdict): verdict for verdict in (*Outcome, *Finding)}

GAP_MATTERS = (Outcome.INDETERMINATE, Outcome.VERIFIED_NOT_APPLIED)
"""Outcomes that a new gap may revise: it gives doubt another reason, and "every attempt did nothing" needs no gap."""
