"""The words of a judgement, and their order.

Two questions are never mixed: what does the world hold (the outcome), and was the way there safe (the findings)? One
word, the verdict, is the worst of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Outcome(StrEnum):
    """What the world holds for one operation."""

    HEALTHY = "healthy"
    VERIFIED_APPLIED = "verified_applied"
    VERIFIED_NOT_APPLIED = "verified_not_applied"
    DUPLICATE_EFFECT = "duplicate_effect"
    FALSE_SUCCESS = "false_success"
    INDETERMINATE = "indeterminate"


class Finding(StrEnum):
    """What was wrong with the way there."""

    KEY_CONFLICT = "key_conflict"
    OUTCOME_MISMATCH = "outcome_mismatch"
    UNSAFE_RETRY = "unsafe_retry"
    UNADVISED = "unadvised"  # never the verdict: advice is no evidence, and neither is the lack of it


class Reason(StrEnum):
    """Why an operation is in doubt, the first that applies."""

    IDENTITY_UNCLEAR = "identity_unclear"
    UNREADABLE = "unreadable"
    RECEIPT_MISMATCH = "receipt_mismatch"
    PARTIAL = "partial"
    AWAITING_APPROVAL = "awaiting_approval"
    ACCEPTED = "accepted"
    SETTLING = "settling"
    TELEMETRY_GAP = "telemetry_gap"
    AMBIGUOUS = "ambiguous"
    UNVERIFIED = "unverified"


class Severity(StrEnum):
    """Who has to act: a person now, a person in working hours, nobody."""

    PAGE = "page"
    TICKET = "ticket"
    NONE = "none"


Verdict = Outcome | Finding

WORST_FIRST: tuple[Verdict, ...] = (
    Finding.KEY_CONFLICT,
    Outcome.DUPLICATE_EFFECT,
    Outcome.FALSE_SUCCESS,
    Finding.OUTCOME_MISMATCH,
    Finding.UNSAFE_RETRY,
    Outcome.INDETERMINATE,
    Outcome.VERIFIED_NOT_APPLIED,
    Outcome.VERIFIED_APPLIED,
    Outcome.HEALTHY,
)
"""Every verdict, the worst first. What two operations come to is the worse of both."""

PAGES: frozenset[Verdict] = frozenset(WORST_FIRST[:4])
"""Verdicts that a person must act on now."""

ACQUITTALS: frozenset[Verdict] = frozenset({Outcome.VERIFIED_APPLIED, Outcome.VERIFIED_NOT_APPLIED})
"""Outcomes that say that all is known. Nothing may be left unread or unasked behind one."""

NEXT_ACTION: Mapping[Verdict, str] = {
    Outcome.HEALTHY: "nothing",
    Outcome.VERIFIED_APPLIED: "do not retry; verify the deliverable",
    Outcome.VERIFIED_NOT_APPLIED: (
        "read the provider's contract, then one bounded retry with the same identity and payload"
    ),
    Outcome.DUPLICATE_EFFECT: "stop retries; compensate or ask a person",
    Outcome.FALSE_SUCCESS: "treat the run as unhealthy; reconcile",
    Outcome.INDETERMINATE: "wait, probe, or ask a person; never invent certainty",
    Finding.KEY_CONFLICT: "block execution; review the intent; a new operation only after that",
    Finding.UNSAFE_RETRY: "stop; the deduplication boundary is broken",
    Finding.OUTCOME_MISMATCH: "repair or compensate by decision of a person; don't repeat",
}
"""The next safe action for each verdict. None of them is a blind retry."""


def severity_of(verdict: Verdict, reason: Reason | None = None, *, overdue: bool = False) -> Severity:
    """Who has to act. ``overdue``: the operation's deadline has passed, by the caller's clock."""
    if verdict in PAGES:
        return Severity.PAGE
    if verdict is Finding.UNSAFE_RETRY or reason is Reason.TELEMETRY_GAP:
        return Severity.TICKET
    if reason is Reason.AMBIGUOUS and overdue:
        return Severity.TICKET
    return Severity.NONE
