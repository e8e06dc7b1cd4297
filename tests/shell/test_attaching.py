"""Standing first in line, once, and having the last word while there is somebody to hear it."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import ProxyTracerProvider

import counterfoil
from counterfoil import names
from counterfoil.config import Config
from counterfoil.processor import CounterfoilProcessor, attach
from counterfoil.processor.line import processors_of
from tests.real.otlp import attributes
from tests.real.sink import Sink, sink
from tests.shell.watching import Watching, is_verdict

CALL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "charge_card", names.OPERATION_ID: "order-1"}


def provider_with(exporter: InMemorySpanExporter) -> TracerProvider:
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


def call(provider: TracerProvider) -> None:
    with provider.get_tracer("app").start_as_current_span("execute_tool charge_card", attributes=CALL):
        pass


def verdicts(exporter: InMemorySpanExporter) -> int:
    return sum(map(is_verdict, exporter.get_finished_spans()))


def test_it_stands_first_and_once() -> None:
    provider = provider_with(InMemorySpanExporter())
    first = attach(provider)
    assert attach(provider, Config(settle_after_s=1)) is first
    assert [type(processor).__name__ for processor in processors_of(provider)] == [
        "CounterfoilProcessor",
        "BatchSpanProcessor",
    ]
    assert counterfoil.attach is attach
    assert counterfoil.CounterfoilProcessor is CounterfoilProcessor


def test_two_pipelines_have_one_each() -> None:
    one, other = provider_with(InMemorySpanExporter()), provider_with(InMemorySpanExporter())
    assert attach(one) is not attach(other)


@pytest.mark.parametrize("last_word", ["force_flush", "shutdown"])
def test_what_is_told_at_the_end_is_exported(last_word: str) -> None:
    exporter = InMemorySpanExporter()
    provider = provider_with(exporter)
    attach(provider)
    call(provider)
    getattr(provider, last_word)()
    assert verdicts(exporter) == 1


def test_added_by_hand_in_front_it_works_as_well() -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(CounterfoilProcessor())
    provider.add_span_processor(BatchSpanProcessor(exporter))
    call(provider)
    provider.shutdown()
    assert verdicts(exporter) == 1


def test_added_by_hand_behind_it_says_what_settles_before_the_end() -> None:
    app = Watching(first=False)
    with app.tool():
        app.request()
    app.after(seconds=5)
    assert len(app.verdicts()) == 1


def test_where_the_sdk_keeps_its_processors_otherwise_it_is_added_last() -> None:
    class Other:
        def __init__(self) -> None:
            self.added: list[object] = []

        def add_span_processor(self, processor: object) -> None:
            self.added.append(processor)

    other = Other()
    assert other.added == [attach(other)]


def test_a_provider_that_takes_no_processors_is_told_of_and_breaks_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "counterfoil"):
        attach(ProxyTracerProvider())
    assert "set a TracerProvider of the SDK first" in caplog.text


def test_its_own_spans_are_not_read_again() -> None:
    """Also where, as within Logfire's pipeline, they come back to it."""
    app = Watching()
    with app.tool():
        app.request()
    app.after(seconds=5)
    (verdict,) = app.verdicts()
    app.processor.on_end(verdict)
    app.after(seconds=5)
    assert len(app.verdicts()) == 1
    assert app.processor.pipeline.reading.open_spans == 0


def test_other_peoples_processors_are_used_as_they_are_at_the_time() -> None:
    app = Watching()
    with app.tool():
        app.request()
    late = InMemorySpanExporter()
    app.provider.add_span_processor(BatchSpanProcessor(late))
    app.after(seconds=5)
    app.provider.force_flush()
    assert verdicts(late) == 1


def test_a_processor_beside_it_that_breaks_keeps_nothing_from_being_counted() -> None:
    class Broken(BatchSpanProcessor):
        def on_end(self, span: object) -> None:
            raise RuntimeError("not our fault")

    app = Watching()
    with app.tool():
        app.request()
    app.provider.add_span_processor(Broken(InMemorySpanExporter()))
    app.after(seconds=5)
    assert len(app.events()) == 1
    assert app.troubles()


# ------------------------------------------------------------------ real processes

PIPELINE = """
import counterfoil, os, sys
from opentelemetry import _logs, metrics, trace
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

def spans():
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return provider

def others():
    metrics.set_meter_provider(MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter())]))
    logs = LoggerProvider()
    logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
    _logs.set_logger_provider(logs)

def call(tracer):
    about = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "charge_card"}
    with tracer.start_as_current_span("execute_tool charge_card", attributes=about) as span:
        span.set_attribute("counterfoil.operation.id", "order-1")
"""
ENDS = {
    "at once": "others(); counterfoil.attach(spans()); call(trace.get_tracer('app'))",
    "with providers that came later": "counterfoil.attach(spans()); others(); call(trace.get_tracer('app'))",
    "by an exception": "others(); counterfoil.attach(spans()); call(trace.get_tracer('app')); raise SystemExit(3)",
    "in the middle of a call": (
        "others(); counterfoil.attach(spans()); tracer = trace.get_tracer('app')\\n"
        "about = {'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'charge_card'}\\n"
        "tracer.start_span('execute_tool charge_card', attributes={**about, 'counterfoil.operation.id': 'order-1'})"
    ),
}


@pytest.fixture(scope="module")
def receiver() -> Iterator[Sink]:
    with sink() as kept:
        yield kept


@pytest.mark.parametrize("how", ENDS)
def test_a_process_that_ends_right_after_the_call_has_said_everything(receiver: Sink, how: str) -> None:
    prefix = f"/{how.replace(' ', '-')}"
    environ = {**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": f"{receiver.url}{prefix}"}
    program = PIPELINE + ENDS[how].replace("\\n", "\n")
    subprocess.run([sys.executable, "-c", program], env=environ, check=False, timeout=60)
    spans = [span for span in receiver.spans() if attributes(span).get(names.VERDICT)]
    assert [attributes(record)[names.VERDICT] for record in receiver.records(f"{prefix}/")] == ["indeterminate"]
    assert [attributes(span)[names.OPERATION_ID] for span in spans] == ["order-1"] * len(spans)
    counted = [metric for metric in receiver.metrics() if metric.name == "counterfoil.verdicts"]
    assert spans
    assert counted
