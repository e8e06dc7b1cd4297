"""The last keyed stage: an operation's facts, and those of others that bear on it, are folded and judged.

When to tell is the ledger's policy (`ledger.judging`), by processing time: an operation settles when the job's own
clock says so, also where nothing more ever comes. The clock of a micro-batch is in the checkpoint, so a batch that is
run again after a crash says the same again, under the same revision.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

import orjson
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from counterfoil.across import around
from counterfoil.engines.noting import MILLISECOND, Note
from counterfoil.engines.pages import Pile
from counterfoil.engines.parcels import EVERYBODY, OPERATION, apart, opened, packed, together, unpacked
from counterfoil.engines.piles import Piles
from counterfoil.engines.times import Times
from counterfoil.engines.waking import Waking
from counterfoil.evidence import fold
from counterfoil.explain import as_record
from counterfoil.facts import Fact, Gap
from counterfoil.judge import Judgement, judge
from counterfoil.ledger.forms import written
from counterfoil.ledger.judging import deadline_at, said_of, settles_at
from counterfoil.ledger.packing import fact_of, gap_of
from counterfoil.ledger.told import Told
from counterfoil.operations import operation_from
from counterfoil.verdicts import Reason

VERDICTS = """
    operation_id STRING, revision LONG, at LONG, verdict STRING, outcome STRING, findings ARRAY<STRING>, reason STRING,
    severity STRING, open BOOLEAN, witnesses ARRAY<STRING>, judged STRING
"""
"""What is said, a row for each revision. ``at``: nanoseconds since 1970. ``witnesses``: names of facts, made from their
content. ``judged``: the object that `counterfoil audit --json` has for the operation, without its severity."""

SPAN = ", span STRING"
"""What stands at the end of it where verdicts are told by OTLP: `rows.span_text`."""

_GAPS = ""
"""The name under which a bucket keeps gaps; no operation has it."""


class Judging(StatefulProcessor):
    """Keyed by bucket. Facts are laid down, and folded when their operation is judged. ``spans``: rows have the column
    ``span`` (`rows.span_text`) too."""

    def __init__(self, times: Times, *, spans: bool = False) -> None:
        self._times = times
        self._spans = spans

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._piles = Piles(handle, self._times.keep_s)
        self._waking = Waking(handle)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        now = self._begun(timerValues)
        came: dict[str, dict[str, list[bytes]]] = defaultdict(lambda: defaultdict(list))
        fresh: set[bytes] = set()
        for row in rows:
            for one in opened(row.parcels):
                if row.kind == EVERYBODY:
                    fresh.update(apart(one.facts))
                else:
                    came[one.to.removeprefix(OPERATION)][one.about].append(one.facts)
        gaps, is_news = self._gaps(fresh)
        names = set(came).union(self._piles.names() if is_news else ()) - {_GAPS}
        for name in sorted(names):
            news = packed({about: together(some) for about, some in came[name].items()}) if name in came else b""
            pile = self._piles.of(name)
            if self._times.usual.settle_after:
                self._wait(name, pile, news, now)
            else:
                yield from self._judged(name, pile, Note.read(pile.note if pile else ""), news, gaps, now)
        self._left()

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        at = expiredTimerInfo.getExpiryTimeInMs()
        now = self._begun(timerValues)
        gaps, _ = self._gaps(set())
        for name in self._waking.due(at):
            pile = self._piles.of(name)
            if pile is not None and (note := Note.read(pile.note)).wake_ms == at:
                yield from self._judged(name, pile, note.woken(), b"", gaps, now)
        self._left()

    def _begun(self, timerValues: Any) -> int:
        """A bucket is at hand. What time it is, in nanoseconds."""
        now_ms = int(timerValues.getCurrentProcessingTimeInMs())
        self._piles.begin(now_ms)
        return now_ms * MILLISECOND

    def _left(self) -> None:
        self._piles.end()
        self._waking.arrange()

    def _gaps(self, fresh: set[bytes]) -> tuple[list[bytes], bool]:
        """All gaps that this bucket knows of, and whether one of them is new to it."""
        pile = self._piles.of(_GAPS)
        known = {gap for part in self._piles.earlier(_GAPS, pile) for gap in apart(part)} if pile else set()
        if fresh <= known:
            return sorted(known), False
        self._piles.put(_GAPS, pile, "", together(sorted(fresh - known)))
        return sorted(known | fresh), True

    def _wait(self, name: str, pile: Pile | None, news: bytes, now: int) -> None:
        """However much comes, it is folded once in the time that it takes to settle."""
        note = Note.read(pile.note if pile else "")
        wake = self._waking.slot(now + self._times.usual.settle_after)
        if not note.wake_ms or note.wake_ms > wake:
            self._waking.at(wake, name)
            note = note._replace(wake_ms=wake)
        self._piles.put(name, pile, note.text(), news)

    def _judged(  # noqa: PLR0917 -- private, and called twice
        self, name: str, pile: Pile | None, note: Note, news: bytes, gaps: list[bytes], now: int
    ) -> Iterator[Row]:
        known = [*(self._piles.earlier(name, pile) if pile else ()), news]
        judgement = _judgement(name, unpacked(known), gaps)
        if judgement is not None:  # else all that is known of it is that others share something with it
            note, row = self._said(note, judgement, now)
            if row is not None:
                yield row
        self._piles.put(name, pile, note.text(), news)

    def _said(self, note: Note, judgement: Judgement, now: int) -> tuple[Note, Row | None]:
        name = judgement.operation.operation_id
        timing = self._times.of(judgement.operation.tool)
        settles = settles_at(judgement, timing, now)
        if settles > now:
            return self._woken_at(note, name, settles), None
        last = note.told(name)
        due = deadline_at(judgement.operation, timing, last, now)
        if judgement.reason is Reason.AMBIGUOUS and now < due:
            note = self._woken_at(note, name, due)
        said = said_of(judgement, overdue=now >= due)
        if last is not None and last.said == said:
            return note, None
        told = Told(name, 1 if last is None else last.revision + 1, said, now, True)
        return note.telling(told), _row(told, judgement, spans=self._spans)

    def _woken_at(self, note: Note, name: str, at: int) -> Note:
        wake = self._waking.slot(at)
        if note.wake_ms == wake:
            return note
        self._waking.at(wake, name)
        return note._replace(wake_ms=wake)


def _judgement(name: str, known: Iterable[tuple[str, bytes]], gaps: Iterable[bytes]) -> Judgement | None:
    distinct = dict.fromkeys(known)
    facts: list[Fact | Gap] = [fact_of(about, record) if about else gap_of(record) for about, record in distinct]
    folded = fold([*facts, *map(gap_of, gaps)])
    operations = {about: operation_from(about, facts) for about, facts in folded.operations.items()}
    if name not in operations:
        return None
    return judge(operations[name], around(operations.values(), folded.gaps))


def _row(told: Told, judgement: Judgement, *, spans: bool) -> Row:
    said = told.said
    span: dict[str, str] = {}
    if spans:
        from counterfoil.engines.rows import span_text  # loads OpenTelemetry, in every worker

        span["span"] = span_text(told, judgement)
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
        witnesses=[_id(fact) for fact in judgement.witnesses],
        judged=orjson.dumps(as_record(judgement)).decode(),
        **span,
    )


def _id(fact: Fact) -> str:
    """What `records.fact_id` says, in a quarter of the time."""
    return sha256(written(fact)[0]).hexdigest()
