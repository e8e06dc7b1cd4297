"""A verdict as it leaves the process: a span with links, metrics, and a log event."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.trace import StatusCode

from counterfoil import instruments, names
from counterfoil.ledger import Kind, LedgerFault
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


@pytest.mark.parametrize("broken", ["on_start", "on_end"])
def test_a_processor_that_raises_keeps_no_other_from_having_the_verdict(
    broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor is its error ours: the log says whose it is."""

    class Picky(SpanProcessor):
        """It can't do with spans of ours."""

    def fail(_: object, span: ReadableSpan, parent_context: object = None) -> None:
        if span.name.startswith("verdict"):
            raise LookupError

    setattr(Picky, broken, fail)
    app = Watching(first=False)
    line = app.provider._active_span_processor
    line._span_processors = (Picky(), *line._span_processors)
    with app.tool():
        app.request()
    app.after(seconds=5)
    assert len(app.verdicts()) == len(app.events()) == 1
    assert "an error of Picky was kept" in caplog.text


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
    seldom = {"histories", "errors", "facts.dropped", "facts.duplicates", "consults"}
    assert found.keys() >= described.keys() - {f"counterfoil.{name}" for name in seldom}


def test_what_the_runbook_looks_for_is_what_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    app = Watching()
    app.processor.troubles.had("reading", LookupError())
    runbook = Path(__file__).parents[2] / "dashboards" / "runbooks" / "CounterfoilErrors.md"
    (pattern,) = re.findall(r'\|~ "(.*?)"', runbook.read_text(encoding="utf-8"))
    assert re.search(pattern, caplog.messages[0])
    fault = LedgerFault(Kind.FULL, "sqlite:///ledger.db", "the disk is full")
    assert re.search(pattern, str(fault))
