"""An audit written out: a table for people, or JSON for programs, one operation at a time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from heapq import nsmallest

import orjson

from counterfoil.auditing.intake import Intake
from counterfoil.auditing.tally import Tally
from counterfoil.auditing.told import Recorded, Told, history_record
from counterfoil.histories.audit import HistoryJudgement

Output = Callable[[Iterable[Told], Iterable[HistoryJudgement], Intake, Tally], None]
"""Writes an audit to standard output. The tally is complete when both iterables are at their end."""


def as_json(
    operations: Iterable[Told | Recorded], histories: Iterable[HistoryJudgement], intake: Intake, tally: Tally
) -> None:
    """One object. It is written as it is judged, so that it is never held."""
    _write(b'{"operations":{')
    _members((told.operation_id, told.record()) for told in operations)
    _write(b'},"histories":{')
    _members((judged.history_id, history_record(judged)) for judged in histories)
    counts = {"skipped": intake.skipped, "facts": tally.facts, "unlisted_fields": intake.unlisted}
    _write(b"}," + orjson.dumps(counts)[1:] + b"\n")


def as_lines(
    operations: Iterable[Told | Recorded], histories: Iterable[HistoryJudgement], intake: Intake, tally: Tally
) -> None:
    for told in operations:
        _write(orjson.dumps({"operation_id": told.operation_id, **told.record()}) + b"\n")
    for judged in histories:
        _write(orjson.dumps({"history_id": judged.history_id, **history_record(judged)}) + b"\n")


def as_table(rows: int) -> Output:
    """A table of the worst ``rows`` (0: of all), and a summary."""

    def write(operations: Iterable[Told], histories: Iterable[HistoryJudgement], intake: Intake, tally: Tally) -> None:
        from counterfoil.cli.table import print_audit

        worst = nsmallest(rows, operations, key=_place) if rows else sorted(operations, key=_place)
        print_audit(worst, list(histories), intake, tally)

    return write


def _place(told: Told) -> tuple[int, int, str]:
    return told.place


def _members(named: Iterable[tuple[str, dict[str, object]]]) -> None:
    first = True
    for name, record in named:
        _write((b"\n" if first else b",\n") + orjson.dumps(name) + b":" + orjson.dumps(record))
        first = False


def _write(content: bytes) -> None:
    sys.stdout.buffer.write(content)
