"""When a verdict is told, when it is told again, in which signals, and what finds no room."""

from __future__ import annotations

import logging
from contextlib import closing
from pathlib import Path

import pytest
from opentelemetry import context
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ParentBased, TraceIdRatioBased
from opentelemetry.trace import SpanKind

from counterfoil import names
from counterfoil.config import Config, ToolConfig
from counterfoil.judge import judge_all
from counterfoil.ledger import open_ledger
from counterfoil.processor import attach
from counterfoil.testing import story
from tests.shell.watching import Watching

KEY_HEADER = "http.request.header.idempotency_key"


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


def test_what_a_killed_process_stated_is_in_the_scope_that_the_tool_had_named_by_then(tmp_path: Path) -> None:
    """So a repeat with the same key, in another process, is what a retry should look like."""
    address = f"sqlite:///{tmp_path / 'ledger.db'}"
    killed, other = Watching(Config(ledger=address)), Watching(Config(ledger=address))
    post = {"http.request.method": "POST", "url.full": "https://pay.example/v1/charges", KEY_HEADER: ["k1"]}
    with killed.tool() as first:
        first.set_attribute(names.KEY_SCOPE, "acme")
        with killed.span("POST", post, SpanKind.CLIENT, "opentelemetry.instrumentation.httpx"):
            left = context.attach(context.Context())  # it never comes back to the first process
            with other.tool(**{names.KEY_SCOPE: "acme"}):
                other.request(key="k1")
            other.processor.force_flush()
            context.detach(left)
            with closing(open_ledger(address)) as ledger:
                judged = judge_all(ledger.facts(["order-1"]))["order-1"]
    assert len(judged.operation.dispatches) == 2
    assert judged.findings == ()


def test_who_was_shut_down_keeps_what_it_learns_and_tells_nobody_of_it(tmp_path: Path) -> None:
    """Applications shut their pipeline down by themselves, and the process ends later: others tell what is due then."""
    address = f"sqlite:///{tmp_path / 'ledger.db'}"
    app, other = Watching(Config(ledger=address)), Watching(Config(ledger=address))
    with app.tool():
        app.request()
    app.provider.shutdown()
    assert app.said() == ["indeterminate"]
    with app.tool(operation="order-2"):
        app.request()
    with other.tool(operation="order-3"):
        other.request()
    other.processor.pipeline.commit()
    app.processor.settle()
    assert app.said() == ["indeterminate"]
    other.processor.settle()
    assert [(span.attributes or {})[names.OPERATION_ID] for span in other.verdicts()] == ["order-2", "order-3"]


def test_a_thread_that_was_let_go_tells_nothing_of_what_others_left_in_the_ledger(tmp_path: Path) -> None:
    """Its way out is closed by then: what it told would be told to nobody, and to others it would be told."""
    address = f"sqlite:///{tmp_path / 'ledger.db'}"
    provider = TracerProvider(shutdown_on_exit=False)
    ours = attach(provider, Config(ledger=address))
    assert ours is not None
    with provider.get_tracer("shop").start_as_current_span("charge", attributes={names.OPERATION_ID: "own"}):
        pass
    thread = ours.pipeline._thread
    assert thread is not None
    with closing(open_ledger(address)) as ledger:
        with ours.pipeline._lock:  # it waits here, for its next look
            ledger.add(story("intent pay op=another; receipt pay_1 op=another"), due=0)
            ours.pipeline.stop()
        thread.join(30)
        assert not thread.is_alive()
        assert ledger.told(["another"]) == {}
        assert "another" in ledger.operations(open_only=True)
