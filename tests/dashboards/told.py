"""Telemetry as the contract describes it, of operations with every verdict, as OTLP JSON lines.

It is made by OpenTelemetry's SDK and written by its encoders, so that its shape is that of any application's export.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Link, Status, StatusCode

from counterfoil import names
from counterfoil.demo.jsonlines import as_otlp_json
from counterfoil.verdicts import NEXT_ACTION, WORST_FIRST, Finding, Outcome, Reason, Severity, Verdict, severity_of

SERVICE = "shop"
LEVELS = {Severity.PAGE: 17, Severity.TICKET: 13, Severity.NONE: 9}
SECOND = 1_000_000_000


@dataclass(frozen=True)
class Telling:
    """One verdict span, and the tool span that it is the child of."""

    operation: str
    verdict: Verdict
    tool: str = "charge"
    reason: Reason | None = None
    revision: int = 1
    attempts: int = 1
    ok: bool = True
    minutes_ago: int = 30
    overdue: bool = False
    more: dict[str, Any] = field(default_factory=dict)

    def attributes(self) -> dict[str, Any]:
        """The attributes of its verdict span."""
        severity = severity_of(self.verdict, self.reason, overdue=self.overdue)
        findings = [self.verdict.value] if isinstance(self.verdict, Finding) else []
        return {
            names.OPERATION_ID: self.operation,
            names.VERDICT: self.verdict.value,
            names.FINDINGS: findings,
            **({names.REASON: self.reason.value} if self.reason else {}),
            names.SEVERITY: severity.value,
            names.NEXT_ACTION: NEXT_ACTION[self.verdict],
            names.REVISION: self.revision,
            names.ATTEMPT_COUNT: self.attempts,
            names.EXPLANATION: f"{self.verdict}, and this is why",
            names.TOOL_NAME: self.tool,
            "logfire.msg": f"{self.verdict} {self.tool}",
            "logfire.level_num": LEVELS[severity],
            **self.more,
        }


TOLD = (
    *(
        Telling(f"op-{verdict}", verdict, attempts=2 if verdict is not Outcome.HEALTHY else 1, minutes_ago=20 + place)
        for place, verdict in enumerate(WORST_FIRST)
        if verdict is not Outcome.INDETERMINATE
    ),
    *(
        Telling(f"op-{reason}", Outcome.INDETERMINATE, "send", reason, ok=False, minutes_ago=90 + place)
        for place, reason in enumerate(Reason)
    ),
    # Told twice: what was unknown at first had been applied.
    Telling("op-late", Outcome.INDETERMINATE, reason=Reason.AMBIGUOUS, ok=False, minutes_ago=50, overdue=True),
    Telling("op-late", Outcome.VERIFIED_APPLIED, revision=2, minutes_ago=40),
    # A duplicate whose surplus was taken back: the verdict stays, nobody has to act.
    Telling("op-compensated", Outcome.DUPLICATE_EFFECT, minutes_ago=15, more={"counterfoil.resolved": True}),
    Telling("op-twin", Outcome.INDETERMINATE, reason=Reason.UNVERIFIED, more={names.TWIN_OF: "op-unverified"}),
)


def lines(tellings: tuple[Telling, ...] = TOLD, *, beat_ago_s: float = 5.0) -> list[str]:
    """The export of a process that told this: spans, and its metrics twice."""
    resource = Resource.create({"service.name": SERVICE})
    return [*_spans(resource, tellings), *_numbers(resource, tellings, beat_ago_s)]


def _spans(resource: Resource, tellings: tuple[Telling, ...]) -> Iterator[str]:
    kept = InMemorySpanExporter()
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(kept))
    agent, judge = provider.get_tracer("pydantic-ai"), provider.get_tracer(names.SCOPE)
    now = time.time_ns()
    for telling in tellings:
        begin = now - telling.minutes_ago * 60 * SECOND
        tool = agent.start_span(f"execute_tool {telling.tool}", start_time=begin)
        tool.set_attribute(names.TOOL_NAME, telling.tool)
        if not telling.ok:
            tool.set_status(Status(StatusCode.ERROR))
        tool.end(begin + 2 * SECOND)
        told = judge.start_span(
            f"verdict {telling.tool}",
            trace.set_span_in_context(tool),
            start_time=begin + 7 * SECOND,
            attributes=telling.attributes(),
            links=[Link(tool.get_span_context(), {names.ROLE: "attempt"})],
        )
        told.end(begin + 7 * SECOND)
    yield json.dumps(as_otlp_json(encode_spans(kept.get_finished_spans())))


def _numbers(resource: Resource, tellings: tuple[Telling, ...], beat_ago_s: float) -> Iterator[str]:
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader], resource, shutdown_on_exit=False)
    meter = provider.get_meter(names.SCOPE)

    def beat(_: CallbackOptions) -> list[Observation]:
        return [Observation(time.time() - beat_ago_s)]

    def age(_: CallbackOptions) -> list[Observation]:
        return [Observation(12.0)]

    meter.create_observable_gauge("counterfoil.heartbeat.timestamp", [beat], unit="s")
    meter.create_observable_gauge("counterfoil.operation.oldest.age", [age], unit="s")
    facts = meter.create_counter("counterfoil.facts", unit="{fact}")
    dropped = meter.create_counter("counterfoil.facts.dropped", unit="{fact}")
    errors = meter.create_counter("counterfoil.errors", unit="{error}")
    for number in range(2):
        facts.add(len(tellings), {"counterfoil.reader": "genai"})
        dropped.add(number, {"error.type": "queue_full"})
        errors.add(number, {"error.type": "ProbeError"})
        if (data := reader.get_metrics_data()) is not None:
            yield json.dumps(as_otlp_json(encode_metrics(data)))
    provider.shutdown()
