"""The metrics: one set of instruments for a meter provider, whatever number of pipelines they count for."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from opentelemetry import metrics
from opentelemetry.context import Context
from opentelemetry.metrics import CallbackOptions, Meter, MeterProvider, Observation

from counterfoil import instruments, names
from counterfoil.book.telling import Telling
from counterfoil.instruments import Metric
from counterfoil.telling.series import SEVERE, ToolSeries
from counterfoil.telling.spans import version
from counterfoil.verdicts import Outcome, Verdict


class Watched(Protocol):
    """What a pipeline shows of itself when metrics are collected."""

    @property
    def waiting(self) -> int: ...
    @property
    def indeterminate(self) -> int: ...
    @property
    def forgotten(self) -> int: ...
    @property
    def oldest_age_s(self) -> float: ...
    @property
    def incidents(self) -> Mapping[Verdict, int]: ...


class Meters:
    """Instruments of one meter provider. Pipelines register with `watch` and are let go when they are gone."""

    def __init__(self, provider: MeterProvider) -> None:
        meter = provider.get_meter(names.SCOPE, version())
        self._held: list[object] = [meter]  # Logfire makes those new that somebody holds, when it is configured again
        self._watched: weakref.WeakSet[Watched] = weakref.WeakSet()
        self._judged_at = time.time()
        self._is_real = _is_real(provider)
        self._verdicts = _counter(meter, instruments.VERDICTS_TOTAL)
        self._findings = _counter(meter, instruments.FINDINGS_TOTAL)
        self._attempts = _counter(meter, instruments.ATTEMPTS_TOTAL)
        self._histories = _counter(meter, instruments.HISTORIES_TOTAL)
        self._consults = _counter(meter, instruments.CONSULTS_TOTAL)
        self._facts = _counter(meter, instruments.FACTS_TOTAL)
        self._duplicates = _counter(meter, instruments.FACTS_DUPLICATES)
        self._dropped = _counter(meter, instruments.FACTS_DROPPED)
        self._errors = _counter(meter, instruments.ERRORS_TOTAL)
        self._duration = meter.create_histogram(
            instruments.VERDICT_DURATION.name,
            instruments.VERDICT_DURATION.unit,
            instruments.VERDICT_DURATION.description,
            explicit_bucket_boundaries_advisory=instruments.VERDICT_DURATION.buckets,
        )
        self._observe(meter)
        self._series = ToolSeries(self._verdicts, self._findings)

    def _observe(self, meter: Meter) -> None:
        def observed(metric: Metric, make: Callable[..., object], values: Callable[[], Iterable[Observation]]) -> None:
            def callback(_options: CallbackOptions) -> Iterable[Observation]:
                try:
                    return list(values())
                except Exception:  # a reader must get the others' metrics
                    return []

            self._held.append(make(metric.name, [callback], metric.unit, metric.description))

        observed(instruments.OPERATIONS_OPEN, meter.create_observable_up_down_counter, self._open)
        observed(instruments.INCIDENTS_OPEN, meter.create_observable_gauge, self._incidents)
        observed(instruments.OPERATIONS_FORGOTTEN, meter.create_observable_counter, self._forgotten)
        observed(instruments.OLDEST_AGE, meter.create_observable_gauge, self._oldest)
        observed(instruments.HEARTBEAT, meter.create_observable_gauge, lambda: [Observation(self._judged_at)])

    def watch(self, pipeline: Watched) -> None:
        self._watched.add(pipeline)

    def judged(self) -> None:
        """The judge has just run."""
        self._judged_at = time.time()
        if not self._is_real and _is_real(metrics.get_meter_provider()):
            self._is_real = True
            self._series.start_at_zero()  # what was added before the application had metrics went nowhere

    def told(self, telling: Telling, where: Context, now_ns: int) -> None:
        """Count one revision. ``where`` is the verdict span's context, for exemplars."""
        judgement = telling.judgement
        tool = self._series.named(judgement.operation.tool)
        verdict = {names.VERDICT: judgement.verdict.value}
        doubt = judgement.reason if judgement.verdict is Outcome.INDETERMINATE else None
        reason = {names.REASON: doubt.value} if doubt is not None else {}
        self._verdicts.add(1, verdict | reason | tool, where)
        for finding in judgement.findings:
            self._findings.add(1, {names.FINDING: finding.value} | tool, where)
        if telling.new_attempts:
            for dispatch in judgement.operation.dispatches[-telling.new_attempts :]:
                self._attempts.add(1, {names.TRANSPORT: dispatch.transport.value} | tool, where)
        self._duration.record(max(0.0, (now_ns - telling.since) / 1e9), verdict | tool, where)

    def facts(self, read: Mapping[str, int]) -> None:
        """Facts that were read, by vocabulary."""
        for reader, number in read.items():
            self._facts.add(number, {names.READER: reader})

    def duplicates(self, number: int) -> None:
        """Facts that were sent again."""
        self._duplicates.add(number)

    def dropped(self, causes: Mapping[str, int]) -> None:
        """What could not be taken in, by cause."""
        for cause, number in causes.items():
            self._dropped.add(number, {names.ERROR_TYPE: cause})

    def error(self, kind: str) -> None:
        """An error of ours was kept from the host."""
        self._errors.add(1, {names.ERROR_TYPE: kind})

    def history(self, verdict: str, where: Context | None = None) -> None:
        """A message list was audited. ``where``: its verdict span's context, for exemplars."""
        self._histories.add(1, {names.VERDICT: verdict}, where)

    def consult(self, mode: str, result: str, where: Context | None = None) -> None:
        """An advisor was asked. ``where``: the span that shows it, for exemplars."""
        self._consults.add(1, {names.CONSULT_MODE: mode, names.CONSULT_RESULT: result}, where)

    # ------------------------------------------------------------------- observed

    def _open(self) -> Iterable[Observation]:
        yield Observation(sum(one.waiting for one in self._watched), {names.STATE: "settling"})
        yield Observation(sum(one.indeterminate for one in self._watched), {names.STATE: "indeterminate"})

    def _incidents(self) -> Iterable[Observation]:
        for verdict in SEVERE:
            number = sum(one.incidents.get(verdict, 0) for one in self._watched)
            yield Observation(number, {names.VERDICT: verdict.value})

    def _forgotten(self) -> Iterable[Observation]:
        yield Observation(sum(one.forgotten for one in self._watched))

    def _oldest(self) -> Iterable[Observation]:
        yield Observation(max((one.oldest_age_s for one in self._watched), default=0.0))


def _counter(meter: Meter, metric: Metric):  # type: ignore[no-untyped-def]  # the API's own type differs by version
    return meter.create_counter(metric.name, metric.unit, metric.description)


def _is_real(provider: MeterProvider) -> bool:
    """Whether somebody takes measurements; before that, the API has a stand-in whose instruments come to life later."""
    return not type(provider).__name__.startswith("_Proxy")


_MADE: weakref.WeakKeyDictionary[MeterProvider, Meters] = weakref.WeakKeyDictionary()
_OURS: list[Meters] = []


def meters_of(provider: MeterProvider | None) -> Meters:
    """One set of instruments for a meter provider; for the process's, whichever that will be, if none is given."""
    if provider is None:
        if not _OURS:
            _OURS.append(Meters(metrics.get_meter_provider()))
        return _OURS[0]
    if provider not in _MADE:
        _MADE[provider] = Meters(provider)
    return _MADE[provider]
