"""Verdicts by OTLP, as a judge tells them: a span and an event for each revision, and counters.

Told by the driver, out of the rows that workers have judged. Workers come and go, and a counter that begins anew with
each of them counts nothing; and only one process must know where telemetry goes. It is the bound of it as well: a
driver tells as many verdicts a second as one judge, and `COUNTERFOIL_VERDICT_SPANS=notable` is for jobs with more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from time import sleep

from opentelemetry._logs import SeverityNumber
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.trace import NonRecordingSpan, set_span_in_context

from counterfoil import names
from counterfoil.config import Config
from counterfoil.engines.counters import Counters
from counterfoil.engines.rows import Row
from counterfoil.serving.outgoing import NotHeard, Outgoing
from counterfoil.telling.spans import say_span, version
from counterfoil.telling.words import LEVEL

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT")
"""The variables of which one says where telemetry goes."""

RESOURCE = Resource.create({"service.name": "counterfoil-spark"})

AT_ONCE = 200
"""Verdicts in one request, as a judge has them."""

PATIENCE_S = 600.0
"""How long nobody may hear the verdicts of a micro-batch before it fails, in seconds, beside what requests take."""

LONGEST_WAIT_S = 30.0
"""After verdicts did not arrive the job waits twice as long each time, and so long at most, in seconds."""


class Telling:
    """Tells of rows, and returns when they were heard. One for a job, on its driver."""

    def __init__(
        self, config: Config, outgoing: Outgoing, counters: Counters, wait: Callable[[float], object] = sleep
    ) -> None:
        self._config = config
        self._outgoing = outgoing
        self.counters = counters
        self._wait = wait
        self._logger = outgoing.logs.get_logger(names.SCOPE, version())

    def tell(self, rows: Iterable[Row]) -> None:
        """Tell each of them. What nobody hears is told again, under the same revision; then `NotHeard` is raised."""
        left = iter(rows)
        while some := list(islice(left, AT_ONCE)):
            waited, pause = 0.0, 1.0
            while not self._is_heard(some):
                if waited >= PATIENCE_S:
                    raise NotHeard("verdicts did not arrive where OTEL_EXPORTER_OTLP_ENDPOINT points")
                self._wait(pause)
                waited, pause = waited + pause, min(2 * pause, LONGEST_WAIT_S)
            if "metrics" in self._config.emit:
                for row in some:
                    self.counters.told(row)

    def close(self) -> None:
        """Send what was counted since it was sent last, and let go."""
        self.counters.close()
        self._outgoing.close()

    def _is_heard(self, rows: Sequence[Row]) -> bool:
        for row in rows:
            if self._config.verdict_spans == "all" or row.is_notable:
                self._say(row)
        try:
            self._outgoing.send()
        except NotHeard:
            return False
        return True

    def _say(self, row: Row) -> None:
        where = row.outline.context
        if "spans" in self._config.emit:
            span = say_span(self._outgoing.traces, row.outline, row.words)
            where = set_span_in_context(NonRecordingSpan(span), Context())
        if "events" in self._config.emit:
            self._logger.emit(
                timestamp=int(row.said["at"]),
                context=where,
                severity_number=SeverityNumber(LEVEL[row.severity]),
                body=row.words[names.EXPLANATION],
                attributes=row.words,
                event_name=names.VERDICT_EVENT,
            )
