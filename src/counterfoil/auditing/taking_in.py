"""From bytes to facts: each line is looked at on its own, and what it is shows in what it holds."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b

from counterfoil.auditing.intake import Intake
from counterfoil.auditing.sources import Source
from counterfoil.config import Config
from counterfoil.reading.evidence import Record, Unusable, form_of
from counterfoil.reading.histories import history_from
from counterfoil.reading.lines import NoLine, lines
from counterfoil.reading.ndjson import record_of_line
from counterfoil.reading.otlp import facts_logged, is_otlp
from counterfoil.reading.otlp_spans import spans_in
from counterfoil.reading.spans import Reading
from counterfoil.reading.traces import Traces, read_traces

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Progress = Callable[[int], None]
_DEFAULTS = Config()


def take_in(
    sources: Iterable[Source],
    config: Config = _DEFAULTS,
    progress: Progress = lambda read: None,
    *,
    traces: Traces | None = None,
) -> Intake:
    """Read every source to its end. Never raises for what is in one; `Intake` says what could not be used.

    ``traces`` is where spans are put, for who wants to look at them afterwards.
    """
    reader = Reader() if traces is None else Reader(traces=traces)
    with uncollected():
        for source in sources:
            reader.read(source, progress)
        reading = Reading(config)
        reader.intake.spilled = read_traces(reader.traces, reading, reader.intake.add_fact)
        reader.intake.read = reading.read
    return reader.intake


@dataclass(slots=True)
class Reader:
    """What sources hold, one after the other: into an intake, and spans to where a whole trace can be read."""

    intake: Intake = field(default_factory=Intake)
    traces: Traces = field(default_factory=Traces)

    def read(self, source: Source, progress: Progress) -> None:
        for number, line in enumerate(lines(source.chunks(progress)), 1):
            if isinstance(line, NoLine):
                self.intake.skip(f"{source.name}:{number}", line.what, line.digest)
                continue
            try:
                record = record_of_line(line if number > 1 else line.removeprefix(_BYTE_ORDER_MARK))
                if "kind" in record:
                    self._evidence(record)
                else:
                    self._telemetry(record, f"{source.name}:{number}", line)
                self.intake.understood += 1
            except Unusable as wrong:
                if line.strip():
                    self._skip(f"{source.name}:{number}", line, wrong)
            except Exception as broken:  # a reader of ours that breaks costs one line, not the audit
                self._skip(f"{source.name}:{number}", line, Unusable(f"could not be read ({type(broken).__name__})"))

    def _evidence(self, record: Record) -> None:
        if record["kind"] == "history":
            self.intake.add_history(history_from(record))
            return
        form = form_of(record)
        operation_id, packed = form.read(record)
        self.intake.add(operation_id, packed)
        self.intake.unlisted += len(record) - form.listed

    def _telemetry(self, record: Record, where: str, line: bytes) -> None:
        """One that can't be used among many in a request is skipped on its own."""
        if not is_otlp(record):
            raise Unusable("neither evidence nor OTLP")
        for number, logged in enumerate(facts_logged(record)):
            try:
                if isinstance(logged, Unusable):
                    raise logged
                self._evidence({"kind": None, **logged})
            except Unusable as wrong:
                self._skip(where, b"%d log %s" % (number, line), wrong)
        for number, span in enumerate(spans_in(record)):
            if isinstance(span, Unusable):
                self._skip(where, b"%d span %s" % (number, line), span)
            else:
                self.traces.add(span)

    def _skip(self, where: str, content: bytes, wrong: Unusable) -> None:
        self.intake.skip(where, wrong.what, blake2b(content, digest_size=8).digest(), wrong.operation_id)


@contextmanager
def uncollected() -> Iterator[None]:
    """Facts hold no circles. Looking for some, again and again, would cost a third of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
