"""More than one attempt is a duplicate: the query that people write first."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from prove.beside.answers import Answer, Contender
from prove.beside.trails import Trail, trails


def answers(folder: Path) -> Mapping[str, Answer]:
    """Requests are counted as HTTP clients saw them."""
    return {name: _answer(trail) for name, trail in trails(folder).items()}


def _answer(trail: Trail) -> Answer:
    statuses = [one.attributes.get("http.response.status_code") for one in trail.requests]
    if len(statuses) > 1:
        return Answer.TWICE
    if not statuses:
        return Answer.NOT if trail.calls else Answer.UNKNOWN
    return Answer.ONCE if isinstance(statuses[0], int) and statuses[0] < 300 else Answer.UNKNOWN


CONTENDER = Contender(
    "attempts",
    None,
    "HTTP client spans with POST below the operation's tool: two or more is twice, one that was answered with 2xx is "
    "once, none is not; one without such an answer can't be told.",
    "One query in any tracing back end.",
    "Attempts aren't effects: a key that the provider honours, or a connection cut before it heard of it, make one "
    "effect of two attempts; a proxy makes two effects of one.",
    answers,
)
