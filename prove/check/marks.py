"""The mark of one verdict: pure, and the only place where it is decided what counts as a lie."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from prove.check.arrived import Evidence
from prove.check.said import AUDIT, LIVE, PART, SHARING, Said
from prove.check.truth import Truth
from prove.plan import Plan


class Mark(StrEnum):
    """What a verdict was worth."""

    TRUE = "true"
    DOUBT = "in doubt"  # and what would have ended the doubt was not there
    BLIND = "blind"  # not true, and nothing that arrived could have shown that
    FALSE_TICKET = "false ticket"  # a finding that pages nobody, about something that didn't happen
    FALSE_CONVICTION = "false conviction"
    FALSE_ACQUITTAL = "false acquittal"
    IDLE_DOUBT = "idle doubt"  # the evidence was there, or the reason is not what happened


LIES = (Mark.FALSE_CONVICTION, Mark.FALSE_ACQUITTAL, Mark.IDLE_DOUBT)
"""What must never happen."""


SEEN_UNRECORDED = ("overflow", "gap")
"""Cohorts whose processes saw more than was recorded of them."""


class Marked(NamedTuple):
    """A mark, and in words why it was given."""

    mark: Mark
    why: str


def mark(said: Said, plan: Plan, truth: Truth, evidence: Evidence, *, conflict_shown: bool) -> Marked:
    """Hold one verdict against the truth, and against what could be known."""
    return (
        _false_conviction(said, truth)
        or _false_acquittal(said, plan, truth, evidence, conflict_shown=conflict_shown)
        or (_doubt(said, plan, evidence) if said.verdict == "indeterminate" else None)
        or _false_ticket(said, plan, truth, evidence)
        or Marked(Mark.TRUE, "")
    )


def _false_conviction(said: Said, truth: Truth) -> Marked | None:
    held = len(truth.held)
    if "duplicate_effect" in said.words and held < 2:
        return Marked(Mark.FALSE_CONVICTION, f"called a duplicate, and {held} held")
    if "key_conflict" in said.words and not truth.conflict:
        return Marked(Mark.FALSE_CONVICTION, "called a key conflict, and no key went out with two payloads")
    if "outcome_mismatch" in said.words and not truth.otherwise:
        return Marked(Mark.FALSE_CONVICTION, "called a mismatch, and all that is held is what was asked for")
    if "false_success" in said.words and held:
        return Marked(Mark.FALSE_CONVICTION, f"called a false success, and {held} held")
    return None


def _false_acquittal(
    said: Said, plan: Plan, truth: Truth, evidence: Evidence, *, conflict_shown: bool
) -> Marked | None:
    held, shown = len(truth.held), evidence.effects
    if said.process == SHARING:  # what was in the ledger when it was told, nobody knows any more
        told = {"verified_applied": held == 1, "verified_not_applied": not held}
        return None if told.get(said.verdict, True) else Marked(Mark.BLIND, f"{held} held in the end")
    if said.verdict == "healthy" and plan.habit != "read":
        return Marked(Mark.FALSE_ACQUITTAL, "called a read")
    if held > 1 and shown > 1 and "duplicate_effect" not in said.words:
        return Marked(Mark.FALSE_ACQUITTAL, f"{held} held, {shown} shown, and not called a duplicate")
    if truth.conflict and conflict_shown and "key_conflict" not in said.words:
        return Marked(Mark.FALSE_ACQUITTAL, "a key conflict that was shown and not called one")
    if evidence.refuted and "outcome_mismatch" not in said.words:
        return Marked(Mark.FALSE_ACQUITTAL, "an outcome contract said no, and it is not called a mismatch")
    if said.outcome == "verified_not_applied" and held:
        blind = evidence.absent and not evidence.spans  # no attempt arrived: it held when somebody looked
        blind = blind or (said.by == PART and evidence.never_left)  # the one that did leave is in the other part
        return Marked(Mark.BLIND if blind else Mark.FALSE_ACQUITTAL, f"called not applied, and {held} held")
    if said.outcome == "verified_applied" and not held and evidence.strays:
        return Marked(Mark.BLIND, f"called applied for {', '.join(sorted(evidence.strays))}, another operation's")
    if said.outcome == "verified_applied" and not held:
        return Marked(Mark.FALSE_ACQUITTAL, "called applied, and none held")
    if said.verdict == "verified_applied" and held > 1:
        return Marked(Mark.BLIND, f"{held} held, {shown} shown")
    return None


def _doubt(said: Said, plan: Plan, evidence: Evidence) -> Marked:
    """Doubt is right where no effect was shown and no absence, and its reason is one that was put there."""
    if said.process == SHARING or (said.by == LIVE and plan.telemetry in SEEN_UNRECORDED):
        return Marked(Mark.DOUBT, said.reason or "")
    if evidence.effects:
        return Marked(Mark.IDLE_DOUBT, f"in doubt ({said.reason}), and {evidence.effects} shown")
    if evidence.absent:
        return Marked(Mark.IDLE_DOUBT, f"in doubt ({said.reason}), and absence shown")
    lost = plan.telemetry not in ("whole", "shared") or plan.kill != "none" or said.by == LIVE
    if plan.telemetry == "gap" and said.by == AUDIT and evidence.spans and said.reason in ("ambiguous", "unverified"):
        return Marked(Mark.IDLE_DOUBT, f"in doubt for {said.reason}, and a gap in its process was on record")
    causes = {
        "accepted": evidence.accepted or bool(evidence.promised),
        "settling": evidence.too_early,
        "telemetry_gap": lost,
        "ambiguous": lost or evidence.failed or not evidence.spans,
        "unverified": evidence.spans > 0,
    }
    if not causes.get(said.reason or "", False):
        return Marked(Mark.IDLE_DOUBT, f"in doubt for {said.reason}, which nobody caused")
    return Marked(Mark.DOUBT, said.reason or "")


def _false_ticket(said: Said, plan: Plan, truth: Truth, evidence: Evidence) -> Marked | None:
    if "unsafe_retry" not in said.findings or truth.repeated_unsafely:
        return None
    if said.by in (AUDIT, PART) and evidence.calls_alone:  # as if it had been sent past the instrumentation, keyless
        return Marked(Mark.BLIND, "called an unsafe retry, and no request arrived that could have shown a key")
    if plan.kill == "any" and evidence.begun and plan.key not in {one.key for one in truth.sent}:  # as if it had left
        return Marked(Mark.BLIND, "called an unsafe retry, and the process died after it wrote a request down, unsent")
    return Marked(Mark.FALSE_TICKET, "called an unsafe retry, and each repeat went out under one key, in time")
