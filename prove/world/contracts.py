"""What a provider does with an idempotency key. Pure: the book is asked before, and written after."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from prove.plan import KEY_TTL_S


class Answer(Enum):
    """What becomes of a request."""

    MAKE = "make"
    REPLAY = "replay"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Known:
    """A key that was used before: for which payload, for which object, and when (seconds)."""

    payload: str
    ref: str
    at: float


def name_space(contract: str, account: str) -> str:
    """Where a key is known: everywhere at this provider, or in one account only."""
    return account if contract == "scoped" else ""


def answer(contract: str, known: Known | None, payload: str, now: float) -> Answer:
    """What the contract says of a request whose key was, or wasn't, used before."""
    if known is None or contract == "ignored":
        return Answer.MAKE
    if contract == "expiring" and now - known.at > KEY_TTL_S:
        return Answer.MAKE
    if contract == "compared" and known.payload != payload:
        return Answer.REFUSE
    return Answer.REPLAY
