"""What a job counts: verdicts, findings, facts that it left out, and that it is alive.

Only what a job on Spark knows. How many operations are open, or in doubt, is in the state of its workers: a gauge that
nobody sets would say that there are none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader
from opentelemetry.sdk.resources import Resource

from counterfoil import instruments, names
from counterfoil.engines.rows import Row
from counterfoil.instruments import Metric
from counterfoil.telling.series import ToolSeries
from counterfoil.telling.spans import version


class Counters:
    """One set for a job. Without a reader they count for nobody."""

    def __init__(self, resource: Resource, reader: MetricReader | None, now: Callable[[], float] = time.time) -> None:
        self._provider = MeterProvider([reader] if reader else [], resource=resource, shutdown_on_exit=False)
        self._meter = self._provider.get_meter(names.SCOPE, version())
        self._verdicts = self._counter(instruments.VERDICTS_TOTAL)
        self._findings = self._counter(instruments.FINDINGS_TOTAL)
        self._dropped = self._counter(instruments.FACTS_DROPPED)
        self._series = ToolSeries(self._verdicts, self._findings)
        self._now = now
        self._judged_at = now()
        beat = instruments.HEARTBEAT
        self._meter.create_observable_gauge(beat.name, [self._beat], beat.unit, beat.description)

    def told(self, row: Row) -> None:
        """One revision."""
        tool = self._series.named(row.tool)
        self._verdicts.add(1, row.counted | tool)
        for finding in row.said["findings"]:
            self._findings.add(1, {names.FINDING: str(finding)} | tool)

    def judged(self) -> None:
        """A micro-batch has come to its end."""
        self._judged_at = self._now()

    def dropped(self, causes: Mapping[str, int]) -> None:
        """What could not be taken in, by cause."""
        for cause, number in causes.items():
            self._dropped.add(number, {names.ERROR_TYPE: cause})

    def close(self) -> None:
        self._provider.shutdown()

    def _counter(self, metric: Metric):  # type: ignore[no-untyped-def]  # the API's own type differs by version
        return self._meter.create_counter(metric.name, metric.unit, metric.description)

    def _beat(self, _options: CallbackOptions) -> list[Observation]:
        return [Observation(self._judged_at)]
