"""From an application's facts to what a person is told: a collector, a topic, a job on Spark, a topic and OTLP."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

pytest.importorskip("pyspark", reason="the extra spark is not installed; the way through Kafka was left out")

from counterfoil import names
from counterfoil.config import Config
from counterfoil.engines.counters import Counters
from counterfoil.engines.delivering import Delivering, by
from counterfoil.engines.job import messages
from counterfoil.engines.leaving_out import Tally, Watching
from counterfoil.engines.places import Topic
from counterfoil.engines.spark import verdicts
from counterfoil.engines.telling import RESOURCE, Telling
from counterfoil.evidence import fold
from counterfoil.judge import judge_all
from counterfoil.serving.outgoing import Outgoing
from tests.cases.case import CASES
from tests.engines.kafkas import all_of, broker, put, verdicts_in
from tests.engines.sparks import AT_ONCE, spark, until
from tests.engines.test_every_engine import facts_of
from tests.judge.sending import logged
from tests.real.otlp import attributes, record, send_records
from tests.real.programs import require
from tests.real.sink import sink
from tools.observe import servers
from tools.observe.stack import PROJECT

__all__ = ["broker"]

FACTS, VERDICTS = "counterfoil.facts", "counterfoil.verdicts"
CASE = next(case for case in CASES if case.name.startswith("07_"))
HOSTILE = b"no fact at all"


def shown_in_the_document(folder: Path) -> Path:
    """What `docs/fleet.md` has its reader add to the collector's configuration."""
    text = (PROJECT / "docs" / "fleet.md").read_text(encoding="utf-8")
    (shown,) = (block for block in re.findall(r"^```yaml\n(.*?)^```$", text, re.M | re.S) if "kafka/facts:" in block)
    (folder / "kafka.yaml").write_text(shown, encoding="utf-8")
    return folder / "kafka.yaml"


def test_what_a_collector_puts_into_a_topic_is_judged_and_told_to_a_topic_and_by_otlp(tmp_path, broker) -> None:
    require("collector")
    facts = facts_of(CASE)
    broker.topic(FACTS, partitions=2)
    broker.topic(VERDICTS)
    put(broker, FACTS, [HOSTILE])
    configs = [PROJECT / "collector-config" / "agent.yaml", shown_in_the_document(tmp_path)]
    configs.append(Path(__file__).with_name("kafka_json.yaml"))
    with servers.collector("agent", tmp_path, configs, {"COLLECTOR_KAFKA": broker.address}) as collector:
        send_records(collector.url("http"), [*map(logged, facts), record("somebody.else", {"a": 1})])
        collector.stop()  # which delivers all that it still holds
    arrived = [message for partition in range(2) for message in all_of(broker, FACTS, partition)]
    assert {message[:1] for message in arrived} == {b"{", b"\n", b"n"}, "in both encodings"
    assert not any(b"somebody.else" in message for message in arrived)

    with sink() as backend:
        spark().conf.set("spark.sql.shuffle.partitions", "1")
        metrics = PeriodicExportingMetricReader(OTLPMetricExporter(f"{backend.url}/v1/metrics"))
        counters = Counters(RESOURCE, metrics)
        spans, events = OTLPSpanExporter(f"{backend.url}/v1/traces"), OTLPLogExporter(f"{backend.url}/v1/logs")
        telling = Telling(Config(), Outgoing(RESOURCE, spans, events), counters)
        tally = Tally(spark().sparkContext)
        watching = Watching(tally, counters)
        spark().streams.addListener(watching)
        said = verdicts(messages(spark(), Topic(broker.address, FACTS)), AT_ONCE, tally.noting, spans=True)
        delivering = Delivering([Topic(broker.address, VERDICTS)], None, telling)
        until(by(delivering, said, str(tmp_path / "checkpoint"), 0), lambda: backend.records() and watching.said)
        telling.close()
        spark().streams.removeListener(watching)

        expected = judge_all(fold(facts))
        in_topic, _ = verdicts_in(broker, VERDICTS)
        assert {one["operation_id"]: one["verdict"] for one in in_topic} == {
            name: judgement.verdict.value for name, judgement in expected.items()
        }
        (span,) = backend.spans()
        (event,) = backend.records()
        ((name, judgement),) = expected.items()
        told = attributes(span)
        assert (told[names.OPERATION_ID], told[names.VERDICT]) == (name, judgement.verdict.value)
        assert attributes(event) == told
        assert (event.trace_id, event.span_id) == (span.trace_id, span.span_id)
        assert in_topic[0]["judged"]["explanation"] == told[names.EXPLANATION]
        counted = {metric.name: metric for metric in backend.metrics()}
        assert {"counterfoil.verdicts", "counterfoil.heartbeat.timestamp"} <= counted.keys()
        (dropped,) = counted["counterfoil.facts.dropped"].sum.data_points
        assert (attributes(dropped), dropped.as_int) == ({"error.type": "unreadable"}, 1)
