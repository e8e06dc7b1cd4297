"""A verdict as it leaves the process: a span with links, metrics, and a log event."""

from __future__ import annotations

import logging

import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ParentBased, TraceIdRatioBased
from opentelemetry.trace import StatusCode

from counterfoil import instruments, names
from counterfoil.config import Config, ToolConfig
from tests.shell.watching import Watching


def test_a_verdict_is_a_child_of_the_last_attempt_with_links_to_its_witnesses() -> None:
    app = Watching()
    with app.tool():
        app.request(None, "k1")
        app.request(201, "k2")
    app.after(seconds=5)
    (verdict,) = app.verdicts()
    requests = [span for span in app.exporter.get_finished_spans() if span.name == "POST"]
    assert verdict.name == "verdict charge_card"
    assert verdict.parent is not None
    assert verdict.parent.span_id == requests[1].context.span_id
    links = {link.context.span_id: (link.attributes or {})[names.ROLE] for link in verdict.links}
    assert links == {request.context.span_id: "attempt" for request in requests}
    assert verdict.context.trace_id == requests[0].context.trace_id
    assert verdict.resource.attributes["service.name"] == "shop"


def test_a_verdict_says_what_the_contract_says_that_it_says() -> None:
    app = Watching()
    with app.tool(operation=None, **{names.EFFECT_REF: "ch_1", names.EFFECT_AUTHORITATIVE: True}):
        app.request()
    app.after(seconds=5)
    said = dict(app.verdicts()[0].attributes or {})
    assert said.keys() <= set(names.VERDICT_ATTRIBUTES)
    assert said.keys() >= set(names.VERDICT_ATTRIBUTES) - {names.REASON, names.TWIN_OF}
    assert said[names.VERDICT] == said[names.OUTCOME] == "verified_applied"
    assert (said[names.REVISION], said[names.SETTLED], said[names.SEVERITY]) == (1, True, "none")
    assert (said[names.IDENTITY_SOURCE], said[names.ATTEMPT_COUNT], said[names.EFFECT_COUNT]) == ("derived", 1, 1)
    assert said[names.EFFECT_REFS] == ("ch_1",)
    assert said[names.LOGFIRE_LEVEL] == 9
    assert said[names.LOGFIRE_MSG] == f"verified_applied: {said[names.EXPLANATION]}"


def test_only_what_pages_is_an_error() -> None:
    app = Watching()
    with app.tool(operation="order-1"):
        app.request(None)
    app.looks("order-1", "ch_1", "ch_2")
    with app.tool(operation="order-2"):
        app.request(None)
        app.request(201)
    app.after(seconds=5)
    statuses = {(span.attributes or {})[names.VERDICT]: span.status for span in app.verdicts()}
    assert (statuses["duplicate_effect"].status_code, statuses["duplicate_effect"].description) == (
        StatusCode.ERROR,
        "duplicate_effect",
    )
    assert statuses["unsafe_retry"].status_code is StatusCode.UNSET


def test_the_event_says_the_same_in_the_same_trace() -> None:
    app = Watching()
    with app.tool():
        app.request()
    app.after(seconds=5)
    (verdict,), (event,) = app.verdicts(), app.events()
    record = event.log_record
    assert record.event_name == names.VERDICT_EVENT
    assert dict(record.attributes or {}) == dict(verdict.attributes or {})
    assert (record.trace_id, record.span_id) == (verdict.context.trace_id, verdict.context.span_id)


def test_counters_count_and_severe_series_are_there_from_the_start() -> None:
    app = Watching()
    assert app.value("counterfoil.verdicts", verdict="duplicate_effect") == 0
    assert app.points("counterfoil.verdicts").keys() >= {((names.VERDICT, "false_success"),)}
    assert app.points("counterfoil.incidents.open")
    with app.tool():
        app.request(None)
        app.request(201)
    app.after(seconds=5)
    tool = {"tool_name": "charge_card"}
    assert app.value("counterfoil.verdicts", verdict="unsafe_retry", **tool) == 1
    assert app.value("counterfoil.verdicts", verdict="duplicate_effect", **tool) == 0
    assert ((names.VERDICT, "duplicate_effect"), (names.TOOL_NAME, "charge_card")) in app.points("counterfoil.verdicts")
    assert app.value("counterfoil.findings", finding="unsafe_retry", **tool) == 1
    assert app.value("counterfoil.attempts", transport="timeout", **tool) == 1
    assert app.value("counterfoil.attempts", transport="http_status", **tool) == 1
    assert app.value("counterfoil.facts", reader="http") == 4
    assert app.value("counterfoil.operation.oldest.age") == 0
    assert app.value("counterfoil.heartbeat.timestamp") > 0
    assert app.troubles() == {}


def test_an_exemplar_names_the_verdicts_span() -> None:
    app = Watching()
    with app.tool():
        app.request()
    app.after(seconds=5)
    (point,) = app.points("counterfoil.verdict.duration").values()
    assert [one.span_id for one in point.exemplars] == [app.verdicts()[0].context.span_id]


def test_the_metrics_are_those_of_the_contract() -> None:
    app = Watching()
    with app.tool():
        app.request(None)
        app.request(201)
    app.after(seconds=5)
    data = app.reader.get_metrics_data()
    assert data is not None
    found = {
        metric.name: (metric.unit, metric.description)
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }
    described = {metric.name: (metric.unit, metric.description) for metric in instruments.METRICS}
    assert found.items() <= described.items()
    seldom = {"counterfoil.histories", "counterfoil.errors", "counterfoil.facts.dropped"}
    assert found.keys() >= described.keys() - seldom


def test_late_evidence_revises_what_was_told_and_closes_the_incident() -> None:
    app = Watching()
    with app.tool():
        app.request()
    app.looks("order-1", count=0)
    app.after(seconds=5)
    assert app.value("counterfoil.incidents.open", verdict="false_success") == 1
    app.looks("order-1", "ch_1")
    app.after(seconds=5)
    revisions = [
        ((span.attributes or {})[names.VERDICT], (span.attributes or {})[names.REVISION]) for span in app.verdicts()
    ]
    assert revisions == [("false_success", 1), ("verified_applied", 2)]
    assert app.value("counterfoil.incidents.open", verdict="false_success") == 0
    assert app.value("counterfoil.verdicts", verdict="verified_applied", tool_name="charge_card") == 1


def test_the_same_is_not_told_again() -> None:
    app = Watching()
    with app.tool():
        app.request()
    for _ in range(3):
        app.after(seconds=5)
        app.processor.force_flush()
    assert app.said() == ["indeterminate"]


def test_nothing_is_told_before_an_operation_has_settled() -> None:
    app = Watching(Config(settle_after_s=10, tools={"slow": ToolConfig(settle_after_s=60)}))
    with app.tool():
        app.request()
    with app.tool("slow", "order-2"):
        app.request()
    app.after(seconds=9)
    assert app.said() == []
    assert app.value("counterfoil.operations.open", state="settling") == 2
    assert app.value("counterfoil.operation.oldest.age") == 9
    app.after(seconds=1)
    assert [span.name for span in app.verdicts()] == ["verdict charge_card"]
    app.after(seconds=50)
    assert [span.name for span in app.verdicts()] == ["verdict charge_card", "verdict slow"]


def test_a_call_that_takes_long_is_waited_for_until_its_deadline() -> None:
    app = Watching(Config(deadline_s=60))
    tool = app.tool()
    tool.__enter__()
    app.after(seconds=59)
    assert app.said() == []
    app.after(seconds=1)
    assert (app.said(names.SEVERITY), app.said(names.REASON)) == (["ticket"], ["ambiguous"])
    tool.__exit__(None, None, None)


def test_doubt_becomes_a_ticket_at_the_deadline() -> None:
    app = Watching(Config(deadline_s=60))
    with app.tool():
        app.request(None)
    app.after(seconds=5)
    app.after(seconds=60)
    assert (app.said(names.SEVERITY), app.said(names.REVISION)) == (["none", "ticket"], [1, 2])


def test_a_twin_is_named_and_not_accused() -> None:
    app = Watching()
    for operation in ("order-1", "order-2"):
        with app.tool(operation=operation):
            app.request()
    app.after(seconds=5)
    twins = {
        (span.attributes or {})[names.OPERATION_ID]: (span.attributes or {}).get(names.TWIN_OF)
        for span in app.verdicts()
    }
    assert twins == {"order-1": None, "order-2": "order-1"}
    assert app.said() == ["indeterminate", "indeterminate"]


@pytest.mark.parametrize(
    ("emit", "spans", "events", "counted"),
    [
        ({"spans"}, 1, 0, 0),
        ({"events"}, 0, 1, 0),
        ({"metrics"}, 0, 0, 1),
        (set(), 0, 0, 0),
    ],
)
def test_each_signal_can_be_had_alone(emit: set[str], spans: int, events: int, counted: int) -> None:
    app = Watching(Config(emit=frozenset(emit)))
    with app.tool():
        app.request(None)
        app.request()
    app.after(seconds=5)
    assert (len(app.verdicts()), len(app.events())) == (spans, events)
    assert app.value("counterfoil.verdicts", verdict="unsafe_retry", tool_name="charge_card") == counted


def test_only_what_is_notable_if_that_is_asked_for() -> None:
    app = Watching(Config(verdict_spans="notable", tools={"find": ToolConfig(side_effect=False)}))
    with app.tool("find", "order-1"):
        pass
    with app.tool("charge_card", "order-2"):
        app.request()
    with app.tool("charge_card", "order-3"):
        app.request(None)
        app.request()
    app.after(seconds=5)
    assert app.said() == ["unsafe_retry"]
    assert len(app.events()) == 1
    assert app.value("counterfoil.verdicts", verdict="healthy", tool_name="find") == 1


def test_facts_leave_as_events_where_a_fleet_judges() -> None:
    app = Watching(Config(emit=frozenset({"facts"})))
    with app.tool():
        app.request(key="k1")
    app.after(seconds=5)
    said = [dict(event.log_record.attributes or {}) for event in app.events()]
    assert [one[names.FACT_KIND] for one in said if one[names.FACT_KIND] == "intent"]
    assert all(one.keys() == set(names.FACT_ATTRIBUTES) for one in said)
    assert not [one for one in said if "k1" in str(one)]


def test_a_sampler_that_keeps_nothing_of_a_trace_does_not_keep_the_verdict() -> None:
    """What is dropped at the start is never seen; what is recorded without being sampled is."""
    app = Watching(sampler=ParentBased(TraceIdRatioBased(0)))
    with app.tool():
        app.request()
    app.after(seconds=5)
    assert app.said() == []


def test_the_applications_sampler_does_not_apply_to_verdicts() -> None:
    from counterfoil.sampling import RecordAll

    app = Watching(sampler=RecordAll(ALWAYS_OFF))
    with app.tool():
        app.request()
    app.after(seconds=5)
    assert app.said() == ["indeterminate"]


def test_values_that_would_cost_the_exporter_a_batch_are_made_fit() -> None:
    app = Watching()
    with app.tool("charge\ud800", "order-1"):
        app.request()
    with app.tool("x" * 2_000, "order-2"):
        app.request()
    app.after(seconds=5)
    encode_spans(app.verdicts())
    assert len(app.verdicts()) == 2
    assert all(
        len(value) <= 1_024
        for span in app.verdicts()
        for value in (span.attributes or {}).values()
        if isinstance(value, str)
    )


def test_spans_that_are_nobodys_evidence_are_not_even_taken_down() -> None:
    app = Watching()
    with app.span("GET /orders"), app.span("SELECT"):
        app.request()
    assert len(app.processor.pipeline.queue) == 0


def test_a_name_that_a_parent_got_after_it_began_is_found() -> None:
    app = Watching()
    with app.span("POST /orders") as server:
        server.set_attribute(names.OPERATION_ID, "order-1")
        with app.tool(operation=None):
            app.request()
    app.after(seconds=5)
    assert app.said(names.OPERATION_ID) == ["order-1"]


def test_what_finds_no_room_is_counted_and_leaves_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("counterfoil.processor.pipeline.MAX_QUEUE", 3)
    app = Watching()
    with app.tool():
        app.request()  # of four starts and ends three are taken down
        app.processor.pipeline.tick()
        app.request()
        app.request()
        app.processor.pipeline.tick()
    app.after(seconds=5)
    assert app.value("counterfoil.facts.dropped", error_type="queue_full") > 0
    assert app.said(names.REASON) == ["telemetry_gap"]


def test_a_forgotten_operation_is_counted() -> None:
    app = Watching(Config(max_operations=10))
    for number in range(25):
        with app.tool(operation=f"order-{number}"):
            app.request()
        app.after(seconds=0)
    assert app.value("counterfoil.operations.forgotten") == 15
    assert len(app.processor.pipeline.book) == 10
    assert len(app.verdicts()) == 15, "judged before they are forgotten"


def test_what_is_wrong_with_the_settings_is_told_and_stops_nobody(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from counterfoil.processor import CounterfoilProcessor

    monkeypatch.setenv("COUNTERFOIL_SETTLE_AFTER", "soon")
    with caplog.at_level(logging.WARNING, "counterfoil"):
        processor = CounterfoilProcessor()
    assert processor.config.settle_after_s == 5
    assert "COUNTERFOIL_SETTLE_AFTER is 'soon': write a duration" in caplog.text
