"""What an application's SDK exports goes through collector and Prometheus to an alert, with exemplars on the way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import format_trace_id, set_span_in_context

from tests.real.observe.meters import meters
from tests.real.otlp import ERROR, send_spans, span
from tests.real.prometheus import exemplars, query, until
from tests.real.webhook import webhook
from tools.observe.stack import Stack, running

pytestmark = pytest.mark.real

TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "create_ticket", "error.type": "timeout"}

RULE = """
groups:
  - name: severe
    interval: 1s
    rules:
      - alert: SevereOpen
        expr: sum by (job, counterfoil_verdict) (counterfoil_incidents_open) > 0
        labels: {severity: page}
        annotations: {summary: "{{ $labels.job }}: open {{ $labels.counterfoil_verdict }}"}
"""


def test_a_counted_verdict_leads_to_its_trace(stack: Stack) -> None:
    """A counter's exemplar is the span that was current, also when that span has ended."""
    with TracerProvider(shutdown_on_exit=False).get_tracer("test").start_as_current_span("verdict") as verdict:
        pass
    trace = format_trace_id(verdict.get_span_context().trace_id)
    labels = {"counterfoil.verdict": "duplicate_effect", "gen_ai.tool.name": "create_ticket"}
    with meters(stack.otlp, "exemplars") as provider:
        counter = provider.get_meter("counterfoil").create_counter("counterfoil.verdicts", "{operation}")
        counter.add(1, labels, context=set_span_in_context(verdict))

    series = 'counterfoil_verdicts_total{job="exemplars"}'
    address = stack.prometheus.url("http")
    (sample,) = until(lambda: query(address, series), series)
    assert sample["metric"]["counterfoil_verdict"] == "duplicate_effect"
    assert sample["metric"]["gen_ai_tool_name"] == "create_ticket"
    assert sample["metric"]["instance"] == "1"
    assert sample["value"][1] == "1"
    (exemplar,) = until(lambda: exemplars(address, series), "the exemplar")
    assert exemplar["labels"]["trace_id"] == trace


def test_tool_spans_are_counted_and_lead_to_their_trace(stack: Stack) -> None:
    failed = span("execute_tool create_ticket", 0x71, TOOL, status=ERROR)
    send_spans(stack.otlp, [failed], service="tools")
    address = stack.prometheus.url("http")
    selector = '{job="tools", gen_ai_tool_name="create_ticket", error_type="timeout"}'
    # The connector shows a new series at 0 once, so that `increase()` sees the first call.
    calls = until(lambda: query(address, f"traces_span_metrics_calls_total{selector} > 0"), "a counted call")
    assert [each["value"][1] for each in calls] == ["1"]
    buckets = f"traces_span_metrics_duration_seconds_bucket{selector}"
    found = until(lambda: exemplars(address, buckets), "the exemplar of the duration")
    assert {each["labels"]["trace_id"] for each in found} == {failed.trace_id.hex()}


def test_spans_and_events_end_up_in_files(stack: Stack) -> None:
    verdict = span("verdict create_ticket", 0x72, {"counterfoil.verdict": "healthy"})
    send_spans(stack.otlp, [verdict], service="files")

    def written() -> set[str]:
        batches = map(json.loads, stack.traces.read_text().splitlines())
        groups = [group for batch in batches for group in batch["resourceSpans"]]
        spans = [each for group in groups for scope in group["scopeSpans"] for each in scope["spans"]]
        return {each["traceId"] for each in spans}

    assert until(lambda: verdict.trace_id.hex() in written(), "the verdict span in the file")


def test_an_open_incident_reaches_the_webhook_and_its_end_does(observability: dict[str, Path], tmp_path: Path) -> None:
    rules = tmp_path / "severe.rules.yml"
    rules.write_text(RULE)
    with (
        webhook() as receiver,
        running(tmp_path, rules=[rules], webhook=receiver.url) as stack,
        meters(stack.otlp, "billing") as provider,
    ):
        gauge = provider.get_meter("counterfoil").create_gauge("counterfoil.incidents.open", "{incident}")
        gauge.set(1, {"counterfoil.verdict": "duplicate_effect"})
        provider.force_flush()
        fired = receiver.wait(lambda alert: alert["status"] == "firing", "an open incident")
        assert fired["annotations"]["summary"] == "billing: open duplicate_effect"
        assert fired["labels"]["severity"] == "page"

        gauge.set(0, {"counterfoil.verdict": "duplicate_effect"})
        provider.force_flush()
        receiver.wait(lambda alert: alert["status"] == "resolved", "that the incident is closed")
