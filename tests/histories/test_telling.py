"""What is said of an audit: a span, an event and a metric, and an event for each kind of repair."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from pydantic_ai import Agent
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.models.instrumented import InstrumentationSettings

from counterfoil import CounterfoilProcessor, audit_history, instruments, names
from counterfoil.config import Config
from counterfoil.histories.pydantic_actors import KEY, payer, without
from counterfoil.pydantic_ai import Counterfoil, HistoryRefused
from tests.histories.lists import CONFIG, CONVERSATION, TERMS, paid, run
from tests.histories.test_resuming import CANARY, STORED, broken
from tests.real.otlp import attributes
from tests.real.sink import Sink, sink
from tests.shell.watching import Watching


def agent(provider: TracerProvider, resume: str = "warn", contract: Any = STORED) -> Agent[None, str]:
    return Agent(
        payer().model,
        name="payer",
        system_prompt=CANARY,
        capabilities=[
            Counterfoil(resume=resume, contract=contract, config=CONFIG),
            Instrumentation(InstrumentationSettings(tracer_provider=provider)),
        ],
    )


def orphaned() -> list[Any]:
    return without(ToolCallPart, paid())


def test_the_hook_says_its_verdict_under_the_span_of_the_run() -> None:
    watching = Watching()
    run(agent(watching.provider).run("go on", message_history=orphaned()))
    (verdict,) = watching.verdicts()
    (going,) = [span for span in watching.exporter.get_finished_spans() if span.name == "invoke_agent payer"]
    assert verdict.name == names.HISTORY_SPAN
    assert verdict.parent is not None
    assert verdict.parent.span_id == going.context.span_id
    said = dict(verdict.attributes or {})
    assert set(said) == set(names.HISTORY_ATTRIBUTES) - {names.HISTORY_STATE}
    assert said[names.HISTORY_VERDICT] == "orphan_result_removed"
    assert said[names.HISTORY_DECISION] == "warn"
    assert (said[names.SEVERITY], said[names.LOGFIRE_LEVEL]) == ("ticket", 13)
    assert (said[names.AGENT_NAME], said[names.CONVERSATION_ID]) == ("payer", CONVERSATION)
    (repair, event) = [record.log_record for record in watching.events()]
    assert event.event_name == names.HISTORY_EVENT
    assert dict(event.attributes or {}) == said
    assert (event.trace_id, event.span_id) == (verdict.context.trace_id, verdict.context.span_id)
    assert repair.event_name == names.REPAIR_EVENT
    assert dict(repair.attributes or {}) == {
        names.HISTORY_REPAIR: "dropped_result",
        names.HISTORY_REPAIRED: 1,
        names.HISTORY_CALLS: said[names.HISTORY_CALLS],
        names.AGENT_NAME: "payer",
        names.CONVERSATION_ID: CONVERSATION,
    }
    assert watching.value(instruments.HISTORIES_TOTAL.name, verdict="orphan_result_removed") == 1


def test_what_is_refused_is_said_too_and_no_repair_of_it() -> None:
    watching = Watching()
    with pytest.raises(HistoryRefused):
        run(agent(watching.provider, "block").run("go on", message_history=orphaned()))
    assert watching.said(names.HISTORY_DECISION) == ["refuse"]
    assert [record.log_record.event_name for record in watching.events()] == [names.HISTORY_EVENT]


def test_an_audit_that_fails_is_counted() -> None:
    watching = Watching()
    run(agent(watching.provider, "tell", broken).run("go on", message_history=paid()))
    assert watching.verdicts() == []
    assert watching.value(instruments.ERRORS_TOTAL.name, error_type="history:RuntimeError") == 1


def test_an_audit_says_its_verdict_only_where_it_is_asked_to() -> None:
    watching = Watching()
    with watching.span("resuming"):
        audit_history(paid(), contract=TERMS, config=CONFIG)
        assert watching.verdicts() == []
        audit_history(paid(), contract=TERMS, config=CONFIG, tell=True)
    (verdict,) = watching.verdicts()
    said = dict(verdict.attributes or {})
    assert (said[names.HISTORY_VERDICT], said[names.HISTORY_RECEIPTS]) == ("ready", 1)
    assert names.HISTORY_DECISION not in said, "nobody was about to resume it"
    assert watching.value(instruments.HISTORIES_TOTAL.name, verdict="ready") == 1


def test_notable_spans_leave_out_what_is_ready_and_the_metric_does_not() -> None:
    watching = Watching(Config(verdict_spans="notable", hash_key=KEY))
    with watching.span("resuming"):
        audit_history(paid(), contract=TERMS, config=CONFIG, tell=True)
        audit_history(orphaned(), contract=TERMS, config=CONFIG, tell=True)
    assert watching.said(names.HISTORY_VERDICT) == ["orphan_result_removed"]
    assert watching.value(instruments.HISTORIES_TOTAL.name, verdict="ready") == 1


def test_no_operation_is_judged_because_a_history_was() -> None:
    watching = Watching()
    with watching.span("resuming"):
        audit_history(orphaned(), contract=TERMS, config=CONFIG, tell=True)
    watching.provider.force_flush()
    assert watching.said(names.VERDICT) == [None]
    assert watching.points(instruments.HISTORIES_TOTAL.name).keys() == {((names.VERDICT, "orphan_result_removed"),)}


def test_without_our_processor_it_is_said_through_the_pipeline_of_the_open_span() -> None:
    watching = Watching()
    bare = TracerProvider(shutdown_on_exit=False)
    for processor in watching.provider._active_span_processor._span_processors[1:]:
        bare.add_span_processor(processor)
    with bare.get_tracer("app").start_as_current_span("resuming"):
        audit_history(paid(), contract=TERMS, config=CONFIG, tell=True)
    assert watching.said(names.HISTORY_VERDICT) == ["ready"]


def test_without_any_pipeline_nothing_breaks() -> None:
    assert audit_history(paid(), contract=TERMS, config=CONFIG, tell=True).ready


@pytest.fixture
def receiver() -> Iterator[Sink]:
    with sink() as running:
        yield running


def test_a_real_receiver_gets_all_of_it_and_no_content(receiver: Sink) -> None:
    """By OTLP/HTTP, in a pipeline that samples nothing: a verdict on a history is no sampler's business."""
    resource = Resource({"service.name": "shop"})
    tracers = TracerProvider(ALWAYS_OFF, resource)
    logs, meters = (
        LoggerProvider(resource),
        MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter(f"{receiver.url}/v1/metrics"))], resource),
    )
    logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter(f"{receiver.url}/v1/logs")))
    tracers.add_span_processor(CounterfoilProcessor(Config(), meter_provider=meters, logger_provider=logs))
    tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{receiver.url}/v1/traces")))
    history = run(agent(tracers, "tell").run("pay", conversation_id=CONVERSATION)).all_messages()

    run(agent(tracers, "tell").run("go on", message_history=without(ToolCallPart, history)))
    for provider in (tracers, meters, logs):
        provider.shutdown()  # type: ignore[no-untyped-call]

    (verdict,) = [span for span in receiver.spans() if span.name == names.HISTORY_SPAN]
    assert attributes(verdict)[names.HISTORY_VERDICT] == "orphan_result_removed"
    events = {record.event_name: record for record in receiver.records()}
    assert events.keys() == {names.HISTORY_EVENT, names.REPAIR_EVENT}
    assert attributes(events[names.HISTORY_EVENT]) == attributes(verdict)
    assert events[names.HISTORY_EVENT].span_id == verdict.span_id
    assert attributes(events[names.REPAIR_EVENT])[names.HISTORY_REPAIR] == "dropped_result"
    (counted,) = [metric for metric in receiver.metrics() if metric.name == instruments.HISTORIES_TOTAL.name]
    (point,) = counted.sum.data_points
    assert (attributes(point), point.as_int) == ({names.VERDICT: "orphan_result_removed"}, 1)
    for content in (CANARY, "go on", "call_1", "payment-"):
        assert content not in receiver.text()
