"""One thing that was looked at, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """``missing``: it works, and says or sees less than it could. ``contradiction``: what is set can't be meant."""

    OK = "ok"
    MISSING = "missing"
    CONTRADICTION = "contradiction"


@dataclass(frozen=True, slots=True)
class Check:
    """What was found, in a sentence, and what to set. No value of a setting that may be secret is in either."""

    name: str
    state: State
    says: str
    set: str = ""

    def record(self) -> dict[str, str]:
        return {"check": self.name, "state": str(self.state), "says": self.says, "set": self.set}


def ok(name: str, says: str) -> Check:
    return Check(name, State.OK, says)


def missing(name: str, says: str, set: str = "") -> Check:
    return Check(name, State.MISSING, says, set)


def contradiction(name: str, says: str, set: str) -> Check:
    return Check(name, State.CONTRADICTION, says, set)


def many(number: int, one: str, more: str = "") -> str:
    """``1 process``, ``2 processes``."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"
