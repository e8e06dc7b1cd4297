"""A judgement told to people: one plain sentence, and the facts behind it as data. No content, no key."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from counterfoil.dispatch import Dispatch
from counterfoil.doubts import incomplete
from counterfoil.facts import Attempt, Claim, Effect, Fact, Intent, Transport
from counterfoil.judge import Judgement
from counterfoil.records import record_of
from counterfoil.verdicts import Finding, Outcome, Reason, Verdict

ROLES: Mapping[type[Fact], str] = {Intent: "intent", Attempt: "attempt", Effect: "effect", Claim: "claim"}
MOST_NAMED = 4
"""So many references are named in a sentence; of more, the number is told."""


def explain(judgement: Judgement) -> str:
    """One sentence that says why, for somebody who has not read the rules."""
    return _SENTENCES[judgement.verdict](judgement)


def role_of(fact: Fact) -> str:
    """What a witness is in the story: intent, attempt, effect, probe or claim."""
    if isinstance(fact, Effect) and (fact.source == "probe" or fact.effect_ref is None):
        return "probe"
    return ROLES.get(type(fact), "unreadable")


def as_record(judgement: Judgement) -> dict[str, object]:
    """The judgement as JSON-ready values, witnesses as the records that bear it out. Severity is the caller's word."""
    return {
        "verdict": judgement.verdict.value,
        "outcome": judgement.outcome.value,
        "findings": [finding.value for finding in judgement.findings],
        "reason": judgement.reason.value if judgement.reason is not None else None,
        "next_action": judgement.next_action,
        "explanation": explain(judgement),
        "tool": judgement.operation.tool,
        "attempts": len(judgement.operation.dispatches),
        "effects": judgement.effect_count,
        "effect_refs": list(judgement.effect_refs),
        "resolved": judgement.resolved,
        "gone": judgement.gone,
        "witnesses": [{"role": role_of(fact), **record_of(fact)} for fact in judgement.witnesses],
    }


# ---------------------------------------------------------------------- sentences


def _healthy(judgement: Judgement) -> str:
    return f"{_tool(judgement)} only reads; repeating it is fine."


def _applied(judgement: Judgement) -> str:
    then = " It was there and no longer is." if judgement.gone else ""
    lucky = (
        " It was repeated unsafely, and a count taken afterwards shows that no harm was done."
        if Finding.UNSAFE_RETRY in judgement.findings
        else ""
    )
    shown = f"{_tool(judgement)} took effect {_times(judgement.effect_count)}{_refs(judgement)}"
    return f"{shown}, as the target itself says{_after(judgement)}.{lucky}{then}"


def _not_applied(judgement: Judgement) -> str:
    if judgement.case.holdings.absence:
        return f"{_tool(judgement)} did not take effect: the target was asked late enough and holds none."
    proofs = sorted({d.proof.replace("_", " ") for d in judgement.operation.dispatches if d.proof is not None})
    because = f" ({', '.join(proofs)})" if proofs else ""
    return f"{_tool(judgement)} did not take effect: no attempt was carried out{because}."


def _duplicate(judgement: Judgement) -> str:
    own, meant = judgement.effect_count, judgement.operation.expected_count
    after = " The surplus was reversed since." if judgement.resolved else ""
    if own > meant:
        return f"{_tool(judgement)} took effect {_times(own)} where {meant} was meant{_refs(judgement)}.{after}"
    return f"{_tool(judgement)} and other operations with the same business intent took effect more often than meant."


def _false_success(judgement: Judgement) -> str:
    holdings = judgement.case.holdings
    if holdings.absence:
        return f"{_tool(judgement)} was reported done, and the target holds nothing."
    if holdings.foreign and not holdings.number:
        return f"{_tool(judgement)} was reported done, and the only effect shown belongs to another operation."
    meant = judgement.operation.expected_count
    return f"{_tool(judgement)} was reported done, and the target holds {holdings.number} of {meant}."


def _key_conflict(judgement: Judgement) -> str:
    others = {fact.operation_id for fact in judgement.witnesses} - {judgement.operation.operation_id}
    where = ", one of them in another operation" if others else ""
    return f"{_tool(judgement)} used one idempotency key for two different requests{where}."


def _unsafe_retry(judgement: Judgement) -> str:
    sent = [fact for fact in judgement.witnesses if isinstance(fact, Attempt)]
    if any(isinstance(fact, Intent) and fact.approved for fact in judgement.witnesses):
        return f"{_tool(judgement)} executed another request than the one that was approved."
    if len({attempt.attempt_id for attempt in sent}) == 1:
        return f"{_tool(judgement)} was sent more than once by the client itself, without an idempotency key."
    witnessed = [d for d in judgement.operation.executed if d.witness & set(sent)]
    keys = {(dispatch.key, dispatch.scope) for dispatch in witnessed}
    if None in (dispatch.key for dispatch in witnessed):
        how = "without an idempotency key that both attempts share"
    elif len(keys) > 1:
        how = "under another idempotency key"
    else:
        how = "after the provider forgot its idempotency key"
    return f"{_tool(judgement)} was executed again {how}; nothing keeps the provider from applying it twice."


def _mismatch(judgement: Judgement) -> str:
    return f"{_tool(judgement)} took effect{_refs(judgement)}, and the result is not what was asked for."


def _indeterminate(judgement: Judgement) -> str:
    reason = judgement.reason or Reason.AMBIGUOUS
    tool = judgement.operation.tool or "the operation"
    return f"Nobody knows whether {tool} took effect: {_DOUBTS[reason](judgement)}."


def _ambiguous(judgement: Judgement) -> str:
    """A call that a guard stopped is no attempt; what was seen of the target and doesn't count is no silence."""
    operation = judgement.operation
    sent = operation.executed or operation.dispatches
    if not sent and not operation.looks:
        return "no attempt and no effect is on record"
    asked = "what is known of the target does not settle it" if operation.looks else "the target has not been asked"
    return f"{_ends(sent[-1]) if sent else 'no attempt is on record'}, and {asked}"


def _gap(judgement: Judgement) -> str:
    if incomplete(judgement.case):
        return "part of its telemetry is known to be missing"
    return "it was sent more than once, and its idempotency keys could not be seen"


def _ends(dispatch: Dispatch) -> str:
    if dispatch.http_status is not None:
        return f"the last attempt came back with HTTP {dispatch.http_status}"
    return {
        Transport.TIMEOUT: "the last attempt timed out",
        Transport.CANCELLED: "the last attempt was cancelled",
        Transport.STARTED: "nothing says how the last attempt ended",
        Transport.SUCCESS: "the last attempt came back, but did not report success",
    }.get(dispatch.transport, "the last attempt failed in transport")


_SENTENCES: Mapping[Verdict, Callable[[Judgement], str]] = {
    Outcome.HEALTHY: _healthy,
    Outcome.VERIFIED_APPLIED: _applied,
    Outcome.VERIFIED_NOT_APPLIED: _not_applied,
    Outcome.DUPLICATE_EFFECT: _duplicate,
    Outcome.FALSE_SUCCESS: _false_success,
    Outcome.INDETERMINATE: _indeterminate,
    Finding.KEY_CONFLICT: _key_conflict,
    Finding.UNSAFE_RETRY: _unsafe_retry,
    Finding.OUTCOME_MISMATCH: _mismatch,
}
_DOUBTS: Mapping[Reason, Callable[[Judgement], str]] = {
    Reason.IDENTITY_UNCLEAR: lambda _: "its derived name is shared by calls that are not the same",
    Reason.UNREADABLE: lambda _: "part of its evidence could not be read",
    Reason.RECEIPT_MISMATCH: lambda _: "the receipt is for another request",
    Reason.PARTIAL: lambda j: f"{j.case.holdings.number} of {j.operation.expected_count} effects are shown",
    Reason.AWAITING_APPROVAL: lambda _: "it waits for a person's approval and has not run",
    Reason.ACCEPTED: lambda _: "the provider accepted the request and has not said that it is done",
    Reason.SETTLING: lambda _: "the target was asked too early for its answer to count",
    Reason.TELEMETRY_GAP: _gap,
    Reason.AMBIGUOUS: _ambiguous,
    Reason.UNVERIFIED: lambda _: "it came back clean, and no receipt or look at the target confirms it",
}


def _tool(judgement: Judgement) -> str:
    return judgement.operation.tool or "The operation"


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _refs(judgement: Judgement) -> str:
    refs = judgement.effect_refs
    if not refs or len(refs) > MOST_NAMED:
        return ""
    known = "" if len(refs) == judgement.effect_count else "known by name: "
    return f" ({known}{', '.join(refs)})"


def _after(judgement: Judgement) -> str:
    """How it went, where that reads as if nothing had come of it. A promise (202) doesn't."""
    troubled = [d for d in judgement.operation.executed if not d.clean and d.http_status != 202]
    if not troubled or any(d.clean for d in judgement.operation.executed):
        return ""
    return f", although {_ends(troubled[-1])}"
