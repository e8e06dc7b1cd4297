"""Whether a tool may run now, by what is known of its operation. The question is asked before every run of the body.

Nothing known, or proof that nothing was done: go, with the same key as before. Shown to be done: it isn't done again.
Everything else is doubt: the target is asked, if there is a probe, and if it can't tell the call is held.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from counterfoil.facts import (
    DEFERRED_FOR_APPROVAL,
    DENIED,
    PROVIDER_REJECTED,
    UNSEEN,
    Attempt,
    Claim,
    Intent,
    Reported,
    Transport,
)
from counterfoil.judge import Judgement, judge
from counterfoil.operations import operation_from
from counterfoil.verdicts import Finding, Outcome, Reason

_DID_NOTHING = (DEFERRED_FOR_APPROVAL, PROVIDER_REJECTED, DENIED)
_TURN = "turn "


class Decision(StrEnum):
    """What the evidence says of running a tool now."""

    GO = "go"
    GIVE_BACK = "give_back"
    REFUSE = "refuse"
    ASK = "ask"


@dataclass(frozen=True, slots=True)
class Ruling:
    """``applied``: it is shown to be done. ``supposed``: an attempt that must be taken for one that was begun."""

    go: bool
    applied: bool = False
    words: str = ""
    supposed: Attempt | None = None


FIRST = Ruling(go=True)


def ruling_on(known: Judgement | None) -> Ruling:
    """What the evidence says. Without any, this is the first time."""
    if known is None:
        return FIRST
    supposed = unaccounted(known)
    if supposed is not None:
        facts = known.operation.facts | {supposed}
        known = judge(operation_from(known.operation.operation_id, facts), known.case.around)
    refs = ", ".join(known.effect_refs[:3])
    if Finding.KEY_CONFLICT in known.findings:
        return Ruling(False, words="its key was used with two requests. Don't repeat it; a person has to look.")
    match known.outcome:
        case Outcome.VERIFIED_NOT_APPLIED:
            return FIRST
        case Outcome.VERIFIED_APPLIED | Outcome.DUPLICATE_EFFECT:
            shown = f" (reference {refs})" if refs else ""
            return Ruling(False, True, f"it was done already{shown}. Don't repeat it; go on from there.")
        case Outcome.FALSE_SUCCESS:
            words = "it was reported as done, and the target doesn't have it. Don't repeat it; a person has to look."
            return Ruling(False, words=words)
    if known.reason is Reason.AWAITING_APPROVAL:
        return FIRST
    doubt = known.reason or known.outcome
    words = (
        f"it was begun before and nobody knows whether it was done ({doubt}). Don't repeat it; check the target first."
    )
    return Ruling(False, words=words, supposed=supposed)


def unaccounted(known: Judgement) -> Attempt | None:
    """The newest body that was about to run and of which nothing was seen since: killed, or still at it.

    It is taken for an attempt. Without that, a look from before it, or a repeat that was held after it, would pass for
    proof that nothing happened. Which key it sends nobody has seen yet: if it is still at it, what it sends is told by
    itself later, and must not look like a repeat without a key.
    """
    newest = max(known.operation.intents, key=lambda intent: intent.observed_at, default=None)
    if newest is None:
        return None
    since = [d for d in known.operation.dispatches if d.ended_at >= newest.observed_at]
    if any(d.executed or d.proof in _DID_NOTHING for d in since):
        return None
    return Attempt(
        operation_id=newest.operation_id,
        attempt_id=_body(newest),
        observed_at=newest.observed_at,
        trace_id=newest.trace_id,
        span_id=newest.span_id,
        transport=Transport.STARTED,
        started_only=True,
        payload_hash=newest.payload_hash,
        key_state=UNSEEN,
        run_id=newest.run_id,
        tool_call_id=newest.tool_call_id,
    )


def turn(operation_id: str, known: Judgement | None) -> Claim:
    """The next turn to run the body, as a fact that is the same whoever takes it: only one can add it to a ledger.

    It has no time (0): any clock's would make it two facts, and two of those who race would go. When the turn was taken
    is said by the intent that is stated next.
    """
    taken = known.operation.claims if known is not None else ()
    number = 1 + sum(1 for claim in taken if (claim.by or "").startswith(_TURN))
    return Claim(operation_id=operation_id, observed_at=0, reported=Reported.ABSENT, by=f"{_TURN}{number}")


def _body(intent: Intent) -> str:
    """As a reader of spans names the attempt that a tool's call is."""
    if intent.trace_id is not None and intent.span_id is not None:
        return f"{intent.trace_id}/{intent.span_id}"
    return body_at(intent.observed_at)


def body_at(stated_at: int) -> str:
    """A body that no span shows, by when its intent was stated."""
    return f"body:{stated_at}"
