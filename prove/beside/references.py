"""Distinct provider references: what people write after they have counted attempts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from prove.beside.answers import Answer, Contender
from prove.beside.trails import trails


def answers(folder: Path) -> Mapping[str, Answer]:
    """Two references are two effects; none doesn't say anything."""
    count = {0: Answer.UNKNOWN, 1: Answer.ONCE}
    return {name: count.get(len(trail.refs), Answer.TWICE) for name, trail in trails(folder).items()}


CONTENDER = Contender(
    "references",
    None,
    "Distinct `id`s in the results of the operation's tool and in webhooks: two or more is twice, one is once, none "
    "can't be told.",
    "One query, if references are recorded; seldom wrong about duplicates.",
    "Sees an effect only where an answer named it: an answer that was lost hides the first of two. A promise that dies "
    "counts like an object, and a count that somebody took is not read.",
    answers,
)
