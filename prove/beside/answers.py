"""What a contender is: something that reads a recorded run and answers, for each operation, what happened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path


class Answer(StrEnum):
    """What is said of one operation. An operation that is not mentioned counts as `UNKNOWN`."""

    ONCE = "once"
    NOT = "not"
    TWICE = "twice"
    AMISS = "something is wrong"  # a person is to look; what it is, isn't said
    UNKNOWN = "can't tell"


ALARMS = frozenset({Answer.NOT, Answer.TWICE, Answer.AMISS})
"""Answers that call for somebody. Whatever was to be done once was not, or so it is said."""


@dataclass(frozen=True, slots=True)
class Contender:
    """One way to find out. ``package``: whose version is told. ``set_up``: how its answers were got. ``strength``: what
    it does that Counterfoil doesn't, or does for less; ``limit``: what it was not made for."""

    name: str
    package: str | None
    set_up: str
    strength: str
    limit: str
    answers: Callable[[Path], Mapping[str, Answer]]

    @property
    def version(self) -> str:
        """As installed."""
        return version(self.package) if self.package is not None else "a rule, no package"
