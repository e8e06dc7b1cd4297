"""What a mark's colour and its few words say of a fact."""

from __future__ import annotations

from enum import StrEnum

from counterfoil.facts import APPLIED, HUMAN, Attempt, Claim, Effect, Fact, Intent, Reported, Transport


class Tone(StrEnum):
    """How something turned out. It is said in words as well: a colour is never alone."""

    GOOD = "good"
    BAD = "bad"
    OPEN = "open"  # nobody knows, or not to be relied on
    PLAIN = "plain"


_ENDS = {
    Transport.SUCCESS: Tone.GOOD,
    Transport.ERROR: Tone.BAD,
    Transport.HTTP_STATUS: Tone.BAD,
}
_REPORTS = {Reported.SUCCESS: Tone.GOOD, Reported.ERROR: Tone.BAD}


def tone_of(fact: Fact) -> Tone:
    match fact:
        case Attempt(executed=False) | Intent():
            return Tone.PLAIN
        case Attempt(http_status=int(status)) if not fact.started_only:
            return Tone.GOOD if 200 <= status < 300 and status != 202 else Tone.OPEN if status < 300 else Tone.BAD
        case Attempt():
            return _ENDS.get(fact.transport, Tone.OPEN) if not fact.started_only else Tone.OPEN
        case Effect(conforms=False):
            return Tone.BAD
        case Effect() if not fact.authoritative or (fact.stage or APPLIED) != APPLIED:
            return Tone.OPEN
        case Effect():
            return Tone.PLAIN if fact.count == 0 or fact.compensates is not None else Tone.GOOD
        case Claim():
            return _REPORTS.get(fact.reported, Tone.PLAIN)
    return Tone.OPEN


def label_of(fact: Fact) -> str:
    """A few words beside the mark; they are cut to the room that there is."""
    match fact:
        case Intent():
            return fact.tool or "meant"
        case Attempt(executed=False):
            return "refused" if fact.proof == "provider_rejected" else "not sent"
        case Attempt() if fact.started_only:
            return "sent"
        case Attempt():
            ended = fact.transport.value if fact.http_status is None else f"HTTP {fact.http_status}"
            return "sent" if fact.transport is Transport.STARTED and fact.http_status is None else ended
        case Effect(compensates=str(ref)):
            return f"reverses {ref}"
        case Effect():
            return _seen(fact)
        case Claim():
            return f"says {fact.reported.value}"
    return "unreadable"


def _seen(look: Effect) -> str:
    named = look.about_ref or look.effect_ref
    if named is not None:
        return f"{named} gone" if look.count == 0 else named
    if look.source == HUMAN:
        return "none there" if look.count == 0 else "it is there"
    return f"counts {look.count}" if look.count is not None else "no answer"
