"""`counterfoil audit --against`: what is said otherwise than before, and nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path

import orjson
import typer

from counterfoil.archives.verdicts import judged
from counterfoil.auditing.changes import HISTORY, OPERATION, Change, Named, Unordered, Verdicts, changes
from counterfoil.auditing.earlier import NoVerdict, earlier
from counterfoil.auditing.intake import Intake
from counterfoil.auditing.sources import Source
from counterfoil.auditing.tally import Tally
from counterfoil.auditing.told import Recorded, Told, history_record
from counterfoil.cli.terminal import printable
from counterfoil.histories.audit import HistoryJudgement

HINT = "--against"
_KINDS = {OPERATION: "operation_id", HISTORY: "history_id"}


class Form(StrEnum):
    """How changes are written."""

    JSON = "json"
    LINES = "ndjson"
    WORDS = "words"


class Against:
    """An output that holds an audit against the verdicts of an earlier one. ``changed``: how many are unlike."""

    def __init__(self, path: Path, form: Form, memory_mib: int) -> None:
        if not path.exists():
            raise typer.BadParameter(f"{path} is not there; give it what audit --ndjson wrote", param_hint=HINT)
        self.changed = 0
        self._path = path
        self._form = form
        self._memory_mib = memory_mib
        self._parquet = path.is_dir() or path.suffix.lower() == ".parquet"

    def __call__(
        self, operations: Iterable[Told | Recorded], histories: Iterable[HistoryJudgement], intake: Intake, tally: Tally
    ) -> None:
        try:
            self._write(changes(self._before(), self._after(operations, histories)))
        except (NoVerdict, ValueError) as wrong:
            why = f"{self._path} is not in the order in which audit writes: {wrong}"
            raise typer.BadParameter(why if isinstance(wrong, Unordered) else str(wrong), param_hint=HINT) from None

    def _before(self) -> Iterator[tuple[Named, Verdicts]]:
        if self._parquet:
            return judged(self._path, self._memory_mib)
        return earlier(Source(str(self._path), os.stat(self._path).st_size))

    def _after(
        self, operations: Iterable[Told | Recorded], histories: Iterable[HistoryJudgement]
    ) -> Iterator[tuple[Named, Verdicts]]:
        for told in operations:
            yield (OPERATION, told.operation_id), _verdicts(told)
        for history in histories:
            if not self._parquet:  # who writes verdicts as Parquet is never asked about message lists
                yield (HISTORY, history.history_id), Verdicts.read({**history_record(history), "reason": None})

    def _write(self, found: Iterable[Change | None]) -> None:
        same = 0
        if self._form is Form.JSON:
            _out(b'{"changed":[')
        for change in found:
            if change is None:
                same += 1
                continue
            comma = b",\n" if self.changed and self._form is Form.JSON else b""
            self.changed += 1
            _out(comma + (_words(change) if self._form is Form.WORDS else orjson.dumps(_record(change))))
            if self._form is not Form.JSON:
                _out(b"\n")
        if self._form is Form.JSON:
            _out(b'],"same":%d}\n' % same)
        elif self._form is Form.WORDS:
            _out(f"{self.changed:,} changed, {same:,} as before.\n".encode())


def _verdicts(told: Told | Recorded) -> Verdicts:
    if isinstance(told, Recorded):
        return Verdicts.read(told.record())
    judgement = told.judgement
    return Verdicts(
        judgement.verdict.value,
        tuple(finding.value for finding in judgement.findings),
        judgement.outcome.value,
        None if judgement.reason is None else judgement.reason.value,
    )


def _record(change: Change) -> dict[str, object]:
    kind, name = change.named
    sides = {"before": change.before, "after": change.after}
    return {_KINDS[kind]: name, **{side: said and said.record() for side, said in sides.items()}}


def _words(change: Change) -> bytes:
    before, after = ("not there" if said is None else said.words for said in (change.before, change.after))
    return printable(f"{change.named[1]}: {before} → {after}").encode("utf-8", "replace")


def _out(content: bytes) -> None:
    sys.stdout.buffer.write(content)
