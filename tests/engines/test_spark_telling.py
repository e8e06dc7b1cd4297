"""What a job on Spark tells by OTLP is what a judge tells, as far as a row holds it, and is told until heard."""

from __future__ import annotations

import json

import pytest
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

pytest.importorskip("pyspark", reason="the extra spark is not installed; what its job tells was left out")

from counterfoil import names
from counterfoil.book.telling import Telling as Revision
from counterfoil.book.telling import said
from counterfoil.config import Config
from counterfoil.engines import telling
from counterfoil.engines.counters import Counters
from counterfoil.engines.judging import _row
from counterfoil.engines.rows import Row
from counterfoil.engines.telling import RESOURCE, Telling
from counterfoil.evidence import fold
from counterfoil.judge import Judgement, judge_all
from counterfoil.ledger.judging import said_of
from counterfoil.ledger.told import Told
from counterfoil.serving.outgoing import NotHeard, Outgoing
from counterfoil.telling.words import verdict_attributes
from tests.cases.case import CASES, Case
from tests.engines.test_every_engine import facts_of

NOT_IN_A_ROW = {names.IDENTITY_SOURCE, names.REQUEST_HASH, names.AGENT_NAME, names.CONVERSATION_ID}
"""What only facts say that may bear nothing out."""


def judged(case: Case) -> list[Judgement]:
    return list(judge_all(fold(facts_of(case))).values())


def row_of(judgement: Judgement, revision: int = 1) -> Row:
    told = Told(judgement.operation.operation_id, revision, said_of(judgement, overdue=False), 1_700_000_000 * 10**9)
    return Row(_row(told, judgement).asDict())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_row_says_in_the_same_words_what_a_judge_says(case: Case) -> None:
    for judgement in judged(case):
        row = row_of(judgement)
        revision = Revision(judgement, said(judgement, row.severity), 1, True, 0, 0)
        of_judge = verdict_attributes(revision)
        assert row.words.items() <= of_judge.items()
        assert of_judge.keys() - row.words.keys() <= NOT_IN_A_ROW


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
