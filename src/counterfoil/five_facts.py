"""What somebody who is paged must know of one operation, in five facts, and what happened in order of time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from counterfoil.dispatch import Dispatch, first
from counterfoil.explain import role_of
from counterfoil.facts import (
    HUMAN,
    PROBE,
    PROVIDER_RECEIPT,
    WEBHOOK,
    Attempt,
    Claim,
    Effect,
    Fact,
    Intent,
    Reported,
    Transport,
    Unreadable,
)
from counterfoil.judge import Judgement
from counterfoil.records import in_order, rfc3339
from counterfoil.verdicts import Finding, Outcome, Verdict
from counterfoil.waiting import waiting_of

WHO: dict[Verdict, str] = {
    Outcome.HEALTHY: "anybody may repeat it",
    Outcome.VERIFIED_APPLIED: "nobody may retry; there is nothing to compensate",
    Outcome.VERIFIED_NOT_APPLIED: "the agent may retry once, with the same key and the same request",
    Outcome.DUPLICATE_EFFECT: "nobody may retry; a person decides what to compensate",
    Outcome.FALSE_SUCCESS: "nobody may retry before a person has reconciled the run with the target",
    Outcome.INDETERMINATE: "nobody may retry; whoever can look at the target may reconcile",
    Finding.KEY_CONFLICT: "nobody may retry; a person reviews the intent",
    Finding.UNSAFE_RETRY: "nobody may retry; whoever can look at the target counts the effects",
    Finding.OUTCOME_MISMATCH: "nobody may repeat it; a person decides whether to repair or to compensate",
}
"""Who may retry, compensate or reconcile, by verdict."""

_BY = {PROVIDER_RECEIPT: "a receipt", PROBE: "a probe", WEBHOOK: "an event", HUMAN: "a person's"}
"""Whose word it is, by the source of an effect."""

UNKNOWN_TIME = "time unknown"


@dataclass(frozen=True, slots=True)
class Event:
    """One fact in the story. ``bears_out``: it is one of the witnesses of the verdict."""

    fact: Fact
    role: str
    what: str
    bears_out: bool

    @property
    def time_known(self) -> bool:
        """A fact at time 0 or before has no time: a record that could not be read, a span that never said when."""
        return self.fact.observed_at > 0

    @property
    def at(self) -> str:
        return rfc3339(self.fact.observed_at) if self.time_known else UNKNOWN_TIME


def five_facts(judgement: Judgement, now: int) -> dict[str, str]:
    """The five, by what they are about. ``now``: nanoseconds since 1970."""
    operation = judgement.operation
    payload = first([*(i.payload_hash for i in operation.intents), *(d.payload_hash for d in operation.dispatches)])
    scopes = sorted({d.scope for d in operation.dispatches if d.scope is not None})
    keyed = sum(dispatch.key is not None for dispatch in operation.dispatches)
    unseen = sum(dispatch.key_unseen for dispatch in operation.dispatches)
    not_seen = f", of {unseen} nobody could see it" if unseen else ""
    looks = [look for look in operation.looks if look.authoritative]
    refs = f" ({', '.join(judgement.effect_refs)})" if judgement.effect_refs else ""
    tool = operation.tool or "an unknown tool"
    fresh = _fresh(looks, now)
    waiting = waiting_of(operation)
    waits = f"; {waiting.words(now)}" if waiting is not None else ""
    known_in = f", known to the provider in {', '.join(scopes)}" if scopes else ""
    return {
        "operation": f"{operation.operation_id} of {tool}, request {payload or 'not hashed'}",
        "attempts": "; ".join(_attempt(dispatch) for dispatch in operation.dispatches) or "none was seen",
        "key and evidence": f"{keyed} of {len(operation.dispatches)} attempts with a key{not_seen}{known_in}; {fresh}",
        "effects": f"{judgement.effect_count} of {operation.expected_count} meant{refs}",
        "who may act": f"{WHO[judgement.verdict]}{waits}",
    }


def timeline(judgement: Judgement) -> Iterator[Event]:
    """All facts in order of time; those without a time last, for nobody knows where they belong."""
    bearing = frozenset(judgement.witnesses)
    events = [Event(fact, role_of(fact), _what(fact), fact in bearing) for fact in in_order(judgement.operation.facts)]
    yield from sorted(events, key=lambda event: not event.time_known)


def _fresh(looks: Sequence[Effect], now: int) -> str:
    """How old the newest look is that may be believed. A clock ahead of ours makes it 0 seconds."""
    if not looks:
        return "nobody has looked"
    newest = looks[-1]
    at = f"{_ago(now - newest.observed_at)} ago" if newest.observed_at > 0 else UNKNOWN_TIME
    return f"the target's newest word is {_BY.get(newest.source, 'evidence')}, {at}"


def _attempt(dispatch: Dispatch) -> str:
    ended = _ended(dispatch)
    if not dispatch.executed:
        return f"never executed ({(dispatch.proof or 'no proof named').replace('_', ' ')})"
    said = f", reported {dispatch.reported.value}" if dispatch.reported is not None else ""
    return f"{ended}{said}"


def _ended(sent: Attempt | Dispatch) -> str:
    if sent.http_status is not None:
        return f"HTTP {sent.http_status}"
    return "no word of how it ended" if _never_ended(sent) else sent.transport.value


def _never_ended(sent: Attempt | Dispatch) -> bool:
    return sent.http_status is None and sent.transport is Transport.STARTED


def _what(fact: Fact) -> str:
    match fact:
        case Intent() if fact.waits_for is not None:
            return f"waits for {fact.waits_for}: {fact.decision or 'what is to be done'}"
        case Intent():
            return f"meant{' (approved)' if fact.approved else ''}: {fact.tool or 'a tool'}"
        case Attempt():
            if fact.executed is False:
                return f"not carried out: {(fact.proof or 'no proof named').replace('_', ' ')}"
            return "sent" if fact.started_only or _never_ended(fact) else f"sent: {_ended(fact)}"
        case Effect():
            return f"{fact.source.replace('_', ' ')}: {_seen(fact)}"
        case Claim():
            by = fact.by or "somebody"
            return f"{by}: begun" if fact.reported is Reported.ABSENT else f"{by} reported {fact.reported.value}"
        case Unreadable():
            return f"a record that could not be read ({fact.field})"
    return "a fact"


def _seen(look: Effect) -> str:
    named = look.about_ref or look.effect_ref
    if look.compensates is not None:
        seen = f"reversed {look.compensates}"
    elif named is not None:
        seen = f"{named} is gone" if look.count == 0 else f"holds {named}"
    else:
        seen = f"counted {look.count}" if look.count is not None else "said nothing"
    stage = f", {look.stage}" if look.stage is not None else ""
    conforms = {True: ", as asked for", False: ", not what was asked for", None: ""}[look.conforms]
    doubt = "" if look.authoritative else ", not to be relied on"
    why = f" ({look.why})" if look.why is not None else ""
    return f"{seen}{stage}{conforms}{doubt}{why}"


def _ago(nanoseconds: int) -> str:
    seconds = max(0, nanoseconds) // 1_000_000_000
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    return f"{seconds} second{'' if seconds == 1 else 's'}"
