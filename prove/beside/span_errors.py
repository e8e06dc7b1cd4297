"""Alert on span errors: what every tracing back end offers out of the box."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from prove.beside.answers import Answer, Contender
from prove.beside.trails import trails


def answers(folder: Path) -> Mapping[str, Answer]:
    """An operation is looked into if its tool's span, or any span below that, has the status ERROR."""
    return {
        name: Answer.AMISS if any(span.failed for span in (*trail.calls, *trail.below)) else Answer.UNKNOWN
        for name, trail in trails(folder).items()
    }


CONTENDER = Contender(
    "span errors",
    None,
    "An alert for each operation with a span of status ERROR: its tool's, or one below it.",
    "Nothing to install, nothing to declare; also finds errors that have nothing to do with effects.",
    "Doesn't ask what took effect: a retry that repaired a lost answer looks like one that charged twice.",
    answers,
)
