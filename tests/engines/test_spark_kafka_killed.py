"""A job between two topics that is killed with its workers after it said something that its checkpoint doesn't know of.

Facts come as a fleet sends them: in several partitions, shuffled, some twice, alone or many in a message, as JSON
and as protobuf, among messages that nobody can read.
"""

import json
import random
from pathlib import Path

import pytest
from confluent_kafka import TopicPartition
from google.protobuf.json_format import MessageToJson

from counterfoil.evidence import fold
from counterfoil.judge import judge_all
from counterfoil.records import fact_id

pytest.importorskip("pyspark", reason="the extra spark is not installed; the job between topics was left out")

from counterfoil.reading.evidence import fact_from
from tests.engines.jobs import killed, reached, read_and_done, started, until
from tests.engines.kafkas import broker, consumer, credentials, put, verdicts_in
from tests.engines.sparks import last_said, renamed
from tests.judge.sending import of_facts

__all__ = ["broker"]

CASE = Path(__file__).parents[1] / "cases" / "07_timeout_then_retry_creates_two.ndjson"
WORLDS = 8
SEED = 7
HOSTILE = (
    b"\xff\xfe\x00",
    b"{",
    b"[]",
    b'{"kind": 7}',
    b'{"kind": "effect", "operation_id": {"a": 1}, "observed_at": NaN}',
    b'{"resourceLogs": {"scopeLogs": 1}}',
    b"\n\x7f" + b"x" * 900_000,
)


def messages(facts, lines, chance):
    """Every fact at least once: as evidence, or in an export request with others, in one encoding or the other."""
    left = list(zip(facts, lines, strict=True))
    left += chance.sample(left, len(left) // 4)
    chance.shuffle(left)
    while left:
        encoding = chance.randrange(3)
        some = [left.pop() for _ in range(min(len(left), 1 if encoding == 0 else chance.randint(1, 4)))]
        request = of_facts(fact for fact, _ in some)
        text = MessageToJson(request, indent=None).encode()
        yield (some[0][1], text, request.SerializeToString())[encoding]


def test_a_job_between_topics_says_what_one_process_says_and_each_revision_is_one(tmp_path, broker):
    chance = random.Random(SEED)
    lines = [renamed(line, f"w{world}") for world in range(WORLDS) for line in CASE.read_bytes().splitlines()]
    facts = [fact_from(json.loads(line)) for line in lines]
    sent = [*messages(facts, lines, chance), *HOSTILE]
    chance.shuffle(sent)
    broker.topic("fleet", partitions=3)
    broker.topic("verdicts")
    put(broker, "fleet", sent, partitions=3)
    watcher = consumer(broker)
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    places = f"kafka://{broker.guarded}/fleet", f"kafka://{broker.guarded}/verdicts"
    more = ("--most-messages", str(-(-len(sent) // 3)), "--kafka-config", credentials(broker, secrets))

    def arrived():
        return watcher.get_watermark_offsets(TopicPartition("verdicts", 0), timeout=60)[1]

    job = started(tmp_path, *places, *more, partitions=1)
    try:
        until(job, tmp_path, lambda: reached(tmp_path, "commits") >= 0)
        done, known = reached(tmp_path, "commits"), arrived()
        until(job, tmp_path, lambda: arrived() > known or read_and_done(tmp_path) == len(sent), pause_s=0.0)
    finally:
        killed(job)
    # What arrived is of a micro-batch that isn't in the checkpoint.
    is_cut_off = reached(tmp_path, "commits") == done and arrived() > known

    job = started(tmp_path, *places, *more, partitions=1)
    try:
        until(job, tmp_path, lambda: read_and_done(tmp_path) == len(sent))
    finally:
        killed(job)

    said, repeats = verdicts_in(broker, "verdicts")
    assert repeats or not is_cut_off, "nothing of the micro-batch that was cut off came again"
    found = last_said(said)
    expected = judge_all(fold(facts))
    assert found.keys() == expected.keys()
    for name, judgement in expected.items():
        assert found[name]["verdict"] == judgement.verdict.value
        assert found[name]["witnesses"] == [fact_id(fact) for fact in judgement.witnesses]
        assert found[name]["judged"]["explanation"]
    assert "left out of what was read: " in (tmp_path / "log").read_text()
    written = [path for path in tmp_path.rglob("*") if path.is_file() and secrets not in path.parents]
    assert len(written) > 20
    assert not [path for path in written if broker.password.encode() in path.read_bytes()]
