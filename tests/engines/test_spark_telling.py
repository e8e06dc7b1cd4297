"""What a job on Spark tells by OTLP is what a judge tells, and is told until heard."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

pytest.importorskip("pyspark", reason="the extra spark is not installed; what its job tells was left out")

from counterfoil import names
from counterfoil.config import Config
from counterfoil.engines import telling
from counterfoil.engines.counters import Counters
from counterfoil.engines.judging import _row
from counterfoil.engines.rows import Row
from counterfoil.engines.telling import RESOURCE, Telling
from counterfoil.evidence import fold
from counterfoil.facts import Fact
from counterfoil.judge import Judgement, judge_all
from counterfoil.ledger import open_ledger
from counterfoil.ledger.judging import said_of
from counterfoil.ledger.told import Told
from counterfoil.reading.evidence import fact_from
from counterfoil.serving.outgoing import NotHeard, Outgoing
from counterfoil.serving.worker import Worker
from tests.cases.case import CASES, Case
from tests.engines.engines import Facts
from tests.engines.test_every_engine import facts_of

Said = dict[str, dict[str, object]]


def judged(case: Case) -> list[Judgement]:
    return list(judge_all(fold(facts_of(case))).values())


def row_of(judgement: Judgement, revision: int = 1, *, overdue: bool = False) -> Row:
    told = Told(judgement.operation.operation_id, revision, said_of(judgement, overdue=overdue), 1_700_000_000 * 10**9)
    return Row(_row(told, judgement, spans=True).asDict())


def told_by_a_judge(facts: Facts) -> tuple[Said, Said]:
    """By the worker of `counterfoil judge`, out of its own ledger and by its own way out."""
    spans, events = InMemorySpanExporter(), InMemoryLogRecordExporter()
    worker = Worker(Config(), open_ledger("memory:"), Outgoing(RESOURCE, spans, events), http=None)
    worker.start()
    try:
        worker.book.add(facts)
        worker.book.settle()
    finally:
        worker.stop()
    return as_said(spans, events)


def told_by_a_job(facts: Facts) -> tuple[Said, Said]:
    """By the driver of a job, out of rows as its workers make them, long after what they are about."""
    spans, events = InMemorySpanExporter(), InMemoryLogRecordExporter()
    one = Telling(Config(), Outgoing(RESOURCE, spans, events), Counters(RESOURCE, None))
    one.tell([row_of(judgement, overdue=True) for judgement in judge_all(fold(facts)).values()])
    return as_said(spans, events)


def as_said(spans: InMemorySpanExporter, events: InMemoryLogRecordExporter) -> tuple[Said, Said]:
    """All of each verdict span and event, by operation, but two things: ids that are drawn by lot, and the time of an
    event. A judge's has the time at which it was said; a job's that at which it was judged, because a micro-batch that
    is run again must say the same."""
    by_span = {
        str(span.attributes[names.OPERATION_ID]): {
            **span.attributes,
            "name": span.name,
            "kind": span.kind,
            "trace": span.parent and span.parent.trace_id,
            "parent": span.parent and span.parent.span_id,
            "links": [(link.context.trace_id, link.context.span_id, dict(link.attributes)) for link in span.links],
            "began": span.start_time,
            "ended": span.end_time,
            "status": (span.status.status_code, span.status.description),
            "scope": span.instrumentation_scope.name,
        }
        for span in spans.get_finished_spans()
    }
    by_event = {
        str(record.attributes[names.OPERATION_ID]): {
            **record.attributes,
            "name": record.event_name,
            "severity": record.severity_number,
            "body": record.body,
            "is in its span's trace": record.span_id in {span.context.span_id for span in spans.get_finished_spans()},
        }
        for record in (event.log_record for event in events.get_finished_logs())
    }
    return by_span, by_event


def traced(case: Case) -> Facts:
    """The facts of a case, each as if it had been read from a span, two of a trace."""
    return [
        replace(fact, trace_id=f"{number // 2 + 1:032x}", span_id=f"{number + 1:016x}")
        if isinstance(fact, Fact)
        else fact
        for number, fact in enumerate(facts_of(case))
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_job_tells_of_each_case_attribute_for_attribute_what_a_judge_tells(case: Case) -> None:
    facts = traced(case)
    assert told_by_a_job(facts) == told_by_a_judge(facts)


def test_what_the_operation_alone_knows_is_told_where_no_witness_says_it() -> None:
    """Many cases have these, so that the comparison above is of something."""
    told = [span for case in CASES for span in told_by_a_job(traced(case))[0].values()]
    for name in (names.IDENTITY_SOURCE, names.REQUEST_HASH, names.TOOL_NAME, "links", "parent"):
        assert sum(bool(span.get(name)) for span in told) > 10, name


def test_whoever_acted_and_for_which_conversation_is_told() -> None:
    said = {"kind": "intent", "tool": "refund", "agent": "clerk", "conversation_id": "c-1", "side_effect": True}
    case = [fact_from({**said, "operation_id": "order-7", "observed_at": "2026-01-01T00:00:00Z"})]
    (span,) = told_by_a_job(case)[0].values()
    assert (span[names.AGENT_NAME], span[names.CONVERSATION_ID]) == ("clerk", "c-1")
    assert told_by_a_job(case) == told_by_a_judge(case)


class Deaf(InMemorySpanExporter):
    """Takes nothing for the first so many times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def export(self, spans):
        self.times -= 1
        return SpanExportResult.FAILURE if self.times >= 0 else super().export(spans)


def teller(spans: InMemorySpanExporter, waited: list[float], config: Config | None = None):
    events, reader = InMemoryLogRecordExporter(), InMemoryMetricReader()
    counters = Counters(RESOURCE, reader)
    return Telling(config or Config(), Outgoing(RESOURCE, spans, events), counters, waited.append), events, reader


def counted(reader: InMemoryMetricReader, name: str) -> dict[str, int]:
    data = json.loads(reader.get_metrics_data().to_json())
    metrics = data["resource_metrics"][0]["scope_metrics"][0]["metrics"]
    points = next(one for one in metrics if one["name"] == name)["data"]["data_points"]
    return {str(sorted(point["attributes"].values())): point["value"] for point in points if point["value"]}


DUPLICATE = next(case for case in CASES if case.name.startswith("07_"))


def test_what_nobody_hears_is_told_again_under_the_same_revision_and_counted_once() -> None:
    spans, waited = Deaf(2), []
    one, events, reader = teller(spans, waited)
    rows = [row_of(judgement) for judgement in judged(DUPLICATE)]
    one.tell(rows)
    assert waited == [1.0, 2.0]
    (span,) = spans.get_finished_spans()
    (event,) = events.get_finished_logs()
    assert span.attributes[names.VERDICT] == "duplicate_effect"
    assert (span.attributes[names.REVISION], span.status.description) == (1, "duplicate_effect")
    assert event.log_record.attributes == span.attributes
    assert event.log_record.span_id == span.context.span_id
    assert sum(counted(reader, "counterfoil.verdicts").values()) == 1


def test_after_ten_minutes_the_micro_batch_fails_and_comes_again_from_the_checkpoint() -> None:
    waited: list[float] = []
    one, _, _ = teller(Deaf(1_000), waited)
    with pytest.raises(NotHeard, match="OTEL_EXPORTER_OTLP_ENDPOINT"):
        one.tell([row_of(judgement) for judgement in judged(DUPLICATE)])
    assert telling.PATIENCE_S <= sum(waited) < telling.PATIENCE_S + telling.LONGEST_WAIT_S


def test_where_only_the_notable_is_told_the_rest_is_counted_and_a_revision_is_always_told() -> None:
    quiet = next(j for case in CASES for j in judged(case) if j.verdict == "verified_applied" and not j.findings)
    spans = InMemorySpanExporter()
    one, _, reader = teller(spans, [], Config(verdict_spans="notable"))
    one.tell([row_of(quiet)])
    assert not spans.get_finished_spans()
    one.tell([row_of(quiet, revision=2)])
    assert [span.attributes[names.REVISION] for span in spans.get_finished_spans()] == [2]
    assert sum(counted(reader, "counterfoil.verdicts").values()) == 2


def test_what_was_left_out_is_counted_by_its_cause() -> None:
    one, _, reader = teller(InMemorySpanExporter(), [])
    one.counters.dropped({"unreadable": 3})
    assert counted(reader, "counterfoil.facts.dropped") == {"['unreadable']": 3}
