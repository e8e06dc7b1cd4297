"""A topic of a real broker is read from where the checkpoint says to where the micro-batch ends; gaps are told."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pyarrow
import pytest
from confluent_kafka import KafkaException, Producer, TopicPartition

pytest.importorskip("pyspark", reason="the extra spark is not installed; facts from Kafka were left out")

from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows

from counterfoil.engines import clients
from counterfoil.engines.kafka import OtherTopic, Reader
from counterfoil.engines.lines import addressed
from counterfoil.engines.places import OnLoss, Topic
from counterfoil.engines.producing import _produce, message
from counterfoil.engines.topic import Lost, Part, Silent, values
from tests.engines.kafkas import all_of, broker, consumer, credentials, put
from tools.kafka.broker import Broker

__all__ = ["broker"]

ALL = ReadAllAvailable()


def reader(broker: Broker, topic: str, lost: str = OnLoss.DOUBT) -> Reader:
    return Reader(broker.address, topic, None, 10_000, lost)


def read(one: Reader, start, end) -> list[bytes]:
    batches = [batch for part in one.partitions(start, end) for batch in one.read(part)]
    return [value for batch in batches for value in batch.column(0).to_pylist()]


def without(broker: Broker, topic: str, before: int) -> None:
    """Delete the messages before an offset, as retention does."""
    admin = broker.admin()
    where = TopicPartition(topic, 0, before)
    admin.delete_records([where])[where].result(60)


def test_a_topic_is_read_in_micro_batches_of_bounded_size_and_nothing_twice(broker: Broker) -> None:
    broker.topic("bounded", partitions=3)
    sent = [f"{number}".encode() for number in range(50)]
    put(broker, "bounded", sent, partitions=3)
    one = reader(broker, "bounded")
    at, got = one.initialOffset(), []
    while (end := one.latestOffset(at, ReadMaxRows(20))) != at:
        batch = read(one, at, end)
        assert 0 < len(batch) <= 20
        got += batch
        at = end
    assert sorted(got, key=int) == sent
    assert read(one, at, at) == []


def test_a_micro_batch_that_is_run_again_reads_the_same_again(broker: Broker) -> None:
    broker.topic("again")
    put(broker, "again", [b"1", b"2"])
    one = reader(broker, "again")
    start, end = one.initialOffset(), one.latestOffset(one.initialOffset(), ALL)
    put(broker, "again", [b"3"])
    assert read(one, start, end) == read(reader(broker, "again"), start, end) == [b"1", b"2"]


def test_a_partition_that_is_added_is_read_from_its_beginning(broker: Broker) -> None:
    from confluent_kafka.admin import NewPartitions

    broker.topic("grows")
    put(broker, "grows", [b"before"])
    one = reader(broker, "grows")
    at = one.latestOffset(one.initialOffset(), ALL)
    admin = broker.admin()
    admin.create_partitions([NewPartitions("grows", 2)])["grows"].result(60)
    put(broker, "grows", [b"first", b"second"], partitions=2)
    end = at
    while sum(end["next"].values()) < 3:
        end = one.latestOffset(at, ALL)
    assert sorted(read(one, at, end)) == [b"first", b"second"]


def test_messages_that_were_deleted_unread_leave_a_gap_in_their_place(broker: Broker) -> None:
    broker.topic("forgetful")
    put(broker, "forgetful", [b"1", b"2", b"3", b"4"])
    one = reader(broker, "forgetful")
    start, end = one.initialOffset(), one.latestOffset(one.initialOffset(), ALL)
    without(broker, "forgetful", 2)
    gap, *rest = read(one, start, end)
    assert rest == [b"3", b"4"]
    said = json.loads(gap)
    assert said["kind"] == "gap"
    assert said["what"] == "2 messages of partition 0 of forgetful were deleted before they were read"
    ((name, _),) = addressed([gap])
    assert name == "", "a gap is about everybody"
    assert read(one, start, end)[0] == gap, "a micro-batch that is run again says the same"


def test_where_that_was_asked_for_they_end_the_job_in_plain_words(broker: Broker) -> None:
    broker.topic("strict")
    put(broker, "strict", [b"1", b"2"])
    one = reader(broker, "strict", OnLoss.FAIL)
    start, end = one.initialOffset(), one.latestOffset(one.initialOffset(), ALL)
    without(broker, "strict", 1)
    with pytest.raises(Lost, match=r"1 messages of partition 0 of strict were deleted .* --lost doubt goes on"):
        read(one, start, end)


def test_a_micro_batch_of_which_nothing_is_left_is_a_gap_alone(broker: Broker) -> None:
    broker.topic("gone")
    put(broker, "gone", [b"1", b"2"])
    one = reader(broker, "gone")
    start, end = one.initialOffset(), one.latestOffset(one.initialOffset(), ALL)
    put(broker, "gone", [b"3"])
    without(broker, "gone", 3)
    assert [json.loads(value)["what"][:10] for value in read(one, start, end)] == ["2 messages"]


def test_another_topic_of_the_same_name_is_not_taken_for_the_first(broker: Broker) -> None:
    broker.topic("twice")
    put(broker, "twice", [b"1"])
    one = reader(broker, "twice")
    at = one.latestOffset(one.initialOffset(), ALL)
    admin = broker.admin()
    admin.delete_topics(["twice"])["twice"].result(60)
    while "twice" in admin.list_topics(timeout=60).topics:
        pass
    broker.topic("twice")
    put(broker, "twice", [b"other", b"things"])
    with pytest.raises(OtherTopic, match=r"made anew\. Start with another folder"):
        reader(broker, "twice").latestOffset(at, ALL)


def test_a_topic_that_is_not_there_is_an_error_and_no_silence(broker: Broker) -> None:
    with pytest.raises(KafkaException, match="UNKNOWN_TOPIC_OR_PART"):
        reader(broker, "never-made").initialOffset()


def test_while_no_broker_answers_a_job_stands_still(broker: Broker, capfd: pytest.CaptureFixture[str]) -> None:
    broker.topic("away")
    at = reader(broker, "away").initialOffset()
    away = Reader("127.0.0.1:1", "away", None, 10, OnLoss.DOUBT, ask_s=0.5)
    assert away.latestOffset(at, ALL) == away.latestOffset(at, ALL) == at
    assert capfd.readouterr().err.count("no broker answers for away") == 1


def test_a_partition_that_gives_nothing_of_what_it_has_is_an_error(broker: Broker) -> None:
    broker.topic("silent")
    put(broker, "silent", [b"1"])
    with pytest.raises(Silent, match="partition 0 of silent gave nothing for 0 s"):
        list(values(consumer(broker), "silent", Part(0, 0, 2), patience_s=0.0))


def test_what_a_transaction_did_not_commit_is_not_read_and_its_marks_are_passed(broker: Broker) -> None:
    broker.topic("transactions")
    producer = Producer({"bootstrap.servers": broker.address, "transactional.id": "one"})
    producer.init_transactions(60)
    for value, is_wanted in ((b"kept", True), (b"taken back", False), (b"kept too", True)):
        producer.begin_transaction()
        producer.produce("transactions", value)
        producer.flush(60)
        (producer.commit_transaction if is_wanted else producer.abort_transaction)(60)
    one = reader(broker, "transactions")
    start, end = one.initialOffset(), one.latestOffset(one.initialOffset(), ALL)
    assert read(one, start, end) == [b"kept", b"kept too"]


def test_a_message_without_a_value_is_none(broker: Broker) -> None:
    broker.topic("tombs")
    put(broker, "tombs", [b"1", None, b"2"])
    assert all_of(broker, "tombs") == [b"1", b"2"]


def test_credentials_from_a_file_open_a_guarded_broker_and_others_do_not(broker: Broker, tmp_path: Path) -> None:
    broker.topic("guarded")
    put(broker, "guarded", [b"1"])
    one = Reader(broker.guarded, "guarded", credentials(broker, tmp_path), 10, OnLoss.DOUBT)
    start, end = one.initialOffset(), one.latestOffset(one.initialOffset(), ALL)
    assert read(one, start, end) == [b"1"]
    without_any = Reader(broker.guarded, "guarded", None, 10, OnLoss.DOUBT, ask_s=0.5)
    assert without_any.latestOffset(start, ALL) == start, "it saw more without credentials"


ROW = {"operation_id": "o-1", "revision": 1, "witnesses": ["w"], "judged": '{"verdict":"healthy"}'}


def test_verdicts_are_keyed_by_operation_and_hold_what_they_were_judged_by(broker: Broker) -> None:
    broker.topic("said", partitions=3)
    batch = pyarrow.RecordBatch.from_pylist([{**ROW, "operation_id": f"o-{number}"} for number in range(20)])
    send = partial(_produce, Topic(broker.address, "said"), None)
    for _ in range(2):  # two revisions of an operation lie one after the other in one partition
        (sent,) = send([batch])
        assert sent.column(0).to_pylist() == [20]
    by_partition = [[json.loads(value) for value in all_of(broker, "said", number)] for number in range(3)]
    assert sum(map(len, by_partition)) == 40
    names = [{one["operation_id"] for one in some} for some in by_partition]
    assert sum(map(len, names)) == 20, "an operation is in two partitions"
    assert by_partition[0][0]["judged"] == {"verdict": "healthy"}


def test_a_verdict_too_large_for_a_message_is_said_without_what_it_was_judged_by() -> None:
    large = {**ROW, "witnesses": ["w" * 64] * 20_000, "judged": '"' + "x" * 1_000_000 + '"'}
    said = json.loads(message(large))
    assert said["shortened"] is True
    assert (said["operation_id"], said["judged"], len(said["witnesses"])) == ("o-1", None, 1_000)


def test_settings_come_from_a_file_and_what_is_wrong_is_said_without_them(tmp_path: Path) -> None:
    path = tmp_path / "kafka.properties"
    path.write_text("# ours\n\nsasl.mechanism = PLAIN\nsasl.password=a=b \n")
    assert clients.settings_in(str(path)) == {"sasl.mechanism": "PLAIN", "sasl.password": "a=b"}
    for text, words in {
        "hunter2": "line 1 of .* is not NAME=VALUE",
        "\nenable.auto.commit=hunter2": "line 2 of .* sets enable.auto.commit",
        "linger.ms=hunter2": "refuses a setting",
    }.items():
        path.write_text(text)
        with pytest.raises(clients.Unusable, match=words) as raised:
            clients.producer("127.0.0.1:1", str(path))
        assert "hunter2" not in str(raised.value)
        assert raised.value.__context__ is None or raised.value.__suppress_context__
    with pytest.raises(clients.Unusable, match="can't be read; every worker reads it"):
        clients.settings_in(str(tmp_path / "nowhere"))
