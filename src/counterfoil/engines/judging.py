"""The last keyed stage: an operation's facts, and those of others that bear on it, are folded and judged.

When to tell is the ledger's policy (`ledger.judging`), by processing time: an operation settles when the job's own
clock says so, also where nothing more ever comes. The clock of a micro-batch is in the checkpoint, so a batch that is
run again after a crash says the same again, under the same revision.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from counterfoil.across import around
from counterfoil.engines.parcels import OPERATION, apart
from counterfoil.engines.times import Times
from counterfoil.evidence import Folded, fold
from counterfoil.explain import as_record
from counterfoil.facts import Fact, Gap
from counterfoil.judge import Judgement, judge
from counterfoil.ledger.judging import deadline_at, said_of, settles_at
from counterfoil.ledger.packing import fact_of, gap_of
from counterfoil.ledger.told import Said, Told
from counterfoil.operations import operation_from
from counterfoil.records import fact_id
from counterfoil.verdicts import Reason

VERDICTS = """
    operation_id STRING, revision LONG, at LONG, verdict STRING, outcome STRING, findings ARRAY<STRING>, reason STRING,
    severity STRING, open BOOLEAN, witnesses ARRAY<STRING>, judged STRING
"""
"""What is said, a row for each revision. ``at``: nanoseconds since 1970. ``witnesses``: names of facts, made from their
content. ``judged``: the object that `counterfoil audit --json` has for the operation, without its severity."""

MILLISECOND = 1_000_000


class Judging(StatefulProcessor):
    """Keyed by the address of an operation. Facts are appended, and folded when the operation is judged."""

    def __init__(self, times: Times) -> None:
        self._times = times

    def init(self, handle: StatefulProcessorHandle) -> None:
        kept = self._times.keep_s * 1_000
        self._handle = handle
        self._facts = handle.getListState("facts", "about STRING, facts BINARY", kept)
        self._told = handle.getValueState("told", "revision LONG, at LONG, said STRING", kept)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        self._facts.appendList([(row[1], bytes(row[2])) for row in rows])
        now = timerValues.getCurrentProcessingTimeInMs()
        if not self._times.usual.settle_after:
            return self._judged(key[0].removeprefix(OPERATION), now)
        if next(iter(self._handle.listTimers()), None) is None:  # however much comes, it is folded once in this time
            self._wake(now * MILLISECOND + self._times.usual.settle_after)
        return iter(())

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        return self._judged(key[0].removeprefix(OPERATION), timerValues.getCurrentProcessingTimeInMs())

    def _judged(self, name: str, now_ms: int) -> Iterator[Row]:
        judgement = _judgement(name, ((str(row[0]), bytes(row[1])) for row in self._facts.get()))
        if judgement is None:  # what is known of it is only that others share something with it
            return
        now = now_ms * MILLISECOND
        timing = self._times.of(judgement.operation.tool)
        settles = settles_at(judgement, timing, now)
        if settles > now:
            self._wake(settles)
            return
        kept = self._told.get() if self._told.exists() else None
        last = None if kept is None else Told(name, int(kept[0]), Said.read(str(kept[2])), int(kept[1]), True)
        due = deadline_at(judgement.operation, timing, last, now)
        if judgement.reason is Reason.AMBIGUOUS and now < due:
            self._wake(due)
        said = said_of(judgement, overdue=now >= due)
        if last is None or last.said != said:
            told = Told(name, 1 if last is None else last.revision + 1, said, now, True)
            self._told.update((told.revision, now, said.text()))
            yield _row(told, judgement)

    def _wake(self, at: int) -> None:
        """One timer an operation: the next thing to be asked is when the earliest of its reasons is due."""
        due = -(-at // MILLISECOND)
        for other in list(self._handle.listTimers()):
            self._handle.deleteTimer(other)
        self._handle.registerTimer(due)


def _judgement(name: str, known: Iterator[tuple[str, bytes]]) -> Judgement | None:
    folded = _folded(known)
    operations = {about: operation_from(about, facts) for about, facts in folded.operations.items()}
    if name not in operations:
        return None
    return judge(operations[name], around(operations.values(), folded.gaps))


def _folded(known: Iterator[tuple[str, bytes]]) -> Folded:
    distinct = dict.fromkeys((about, record) for about, facts in known for record in apart(facts))
    facts: list[Fact | Gap] = [fact_of(about, record) if about else gap_of(record) for about, record in distinct]
    return fold(facts)


def _row(told: Told, judgement: Judgement) -> Row:
    said = told.said
    return Row(
        operation_id=told.operation_id,
        revision=told.revision,
        at=told.at,
        verdict=said.verdict.value,
        outcome=said.outcome.value,
        findings=[finding.value for finding in said.findings],
        reason=None if said.reason is None else said.reason.value,
        severity=said.severity.value,
        open=said.open,
        witnesses=[fact_id(fact) for fact in judgement.witnesses],
        judged=orjson.dumps(as_record(judgement)).decode(),
    )
