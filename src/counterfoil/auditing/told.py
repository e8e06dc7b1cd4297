"""Judgements as they are told: with the severity that a clock and the settings give them, as JSON-ready records."""

from __future__ import annotations

from dataclasses import dataclass

import orjson

from counterfoil.config import Config
from counterfoil.explain import as_record, explain
from counterfoil.histories.audit import HistoryJudgement
from counterfoil.histories.history import HistoryVerdict
from counterfoil.judge import Judgement
from counterfoil.verdicts import WORST_FIRST, Severity, Verdict, severity_of

WORDS: tuple[str, ...] = (*(verdict.value for verdict in WORST_FIRST), *(verdict.value for verdict in HistoryVerdict))
"""Every word that a verdict, an outcome or a finding can be, operations' first, worst first."""

_RANK: dict[Verdict, int] = {verdict: rank for rank, verdict in enumerate(WORST_FIRST)}
_SEVERITIES = tuple(Severity)


@dataclass(frozen=True, slots=True)
class Told:
    """A judgement, and who has to act on it."""

    judgement: Judgement
    severity: Severity

    @property
    def place(self) -> tuple[int, int, str]:
        """Worst first, then by who has to act, then by name."""
        name = self.judgement.operation.operation_id
        return _RANK[self.judgement.verdict], _SEVERITIES.index(self.severity), name

    @property
    def operation_id(self) -> str:
        return self.judgement.operation.operation_id

    @property
    def words(self) -> frozenset[str]:
        judged = self.judgement
        return frozenset({judged.verdict.value, judged.outcome.value, *(f.value for f in judged.findings)})

    @property
    def sentence(self) -> str:
        return explain(self.judgement)

    def record(self) -> dict[str, object]:
        return {"severity": self.severity.value, **as_record(self.judgement)}


@dataclass(frozen=True, slots=True)
class Recorded:
    """The same, of which only the record is left: what another process judged and wrote down."""

    operation_id: str
    written: bytes

    def record(self) -> dict[str, object]:
        found: dict[str, object] = orjson.loads(self.written)
        return found


def told(judgement: Judgement, now: int, config: Config) -> Told:
    """``now``: nanoseconds since 1970. An operation is overdue when nothing was heard of it for its tool's deadline."""
    newest = max((fact.observed_at for fact in judgement.operation.facts), default=0)
    overdue = now - newest > config.deadline(judgement.operation.tool) * 1_000_000_000
    return Told(judgement, severity_of(judgement.verdict, judgement.reason, overdue=overdue))


def history_record(judged: HistoryJudgement) -> dict[str, object]:
    return {
        "verdict": judged.verdict.value,
        "findings": [finding.value for finding in judged.findings],
        "state": judged.state.value if judged.state is not None else None,
        "explanation": judged.explanation,
        "failures": {verdict.value: list(failed) for verdict, failed in judged.failures.items()},
    }


def history_words(judged: HistoryJudgement) -> frozenset[str]:
    return frozenset({judged.verdict.value, *(finding.value for finding in judged.findings)})
