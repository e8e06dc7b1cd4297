"""Counterfoil's audit, given the same files and nothing else: no ledger, and not what processes told while they ran."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from prove.beside.answers import Answer, Contender
from prove.check.said import AUDIT, audited


class Words(NamedTuple):
    """What a verdict says, as far as it answers the question."""

    operation: str
    verdict: str
    outcome: str
    reason: str | None


def answers(folder: Path) -> Mapping[str, Answer]:
    """What the verdict says of the outcome, or that somebody is to look."""
    return {words.operation: answer(words) for words in _words(folder)}


def answer(words: Words) -> Answer:
    """What pages or makes a ticket, and doesn't say what happened, is a call for somebody."""
    if "duplicate_effect" in (words.verdict, words.outcome):
        return Answer.TWICE
    if words.outcome in ("verified_not_applied", "false_success"):
        return Answer.NOT
    if words.verdict in ("key_conflict", "unsafe_retry"):
        return Answer.AMISS
    if words.outcome in ("verified_applied", "healthy"):
        return Answer.ONCE
    return Answer.AMISS if words.reason in ("ambiguous", "telemetry_gap") else Answer.UNKNOWN


def _words(folder: Path) -> Iterator[Words]:
    """Of a run that was checked, the check has written it down."""
    checked = folder / "checked.jsonl"
    if checked.exists():
        with checked.open(encoding="utf-8") as lines:
            rows = (json.loads(line) for line in lines)
            yield from (
                Words(row["operation"], row["verdict"], row["outcome"], row["reason"])
                for row in rows
                if row["by"] == AUDIT
            )
        return
    yield from (Words(said.operation, said.verdict, said.outcome, said.reason) for said in audited(folder))


CONTENDER = Contender(
    "counterfoil",
    "counterfoil",
    "`counterfoil audit` over the recorded files, with the run's settings: which argument names the operation, which "
    "field is a receipt, how far the provider lags. What pages or makes a ticket without saying what happened is "
    "something wrong.",
    "",
    "",
    answers,
)
