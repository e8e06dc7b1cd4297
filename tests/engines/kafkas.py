"""Kafka in a test: one real broker for all of a worker's tests, and topics of their own for each of them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer

from counterfoil.engines import clients
from counterfoil.engines.offsets import Part
from counterfoil.engines.topic import values
from tests.real.programs import REQUIRE
from tools.kafka.broker import USER, Broker, running
from tools.kafka.build import NoMaven, built, java

GIVE_UP_S = 120.0


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """Skips, or in CI fails, where the broker could not be had. Tests never fetch it."""
    try:
        java()
        why = "" if built() else "Kafka is not there; `python -m tools.kafka.build` fetches it"
    except NoMaven as missing:
        why = str(missing)
    if why and "kafka" in os.environ.get(REQUIRE, "").split(","):
        pytest.fail(f"{REQUIRE} names kafka, but {why}", pytrace=False)
    if why:
        pytest.skip(f"left out: {why}")
    with running(tmp_path_factory.mktemp("kafka")) as one:
        yield one


def credentials(broker: Broker, folder: Path) -> str:
    """The file for `--kafka-config` with which clients may come in where the broker is guarded."""
    settings = {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.username": USER,
        "sasl.password": broker.password,
    }
    path = folder / "kafka.properties"
    path.write_text("".join(f"{name}={value}\n" for name, value in settings.items()), encoding="utf-8")
    return str(path)


def put(broker: Broker, topic: str, messages: Iterable[bytes | None], partitions: int = 1) -> None:
    """Messages into a topic's partitions in turn; all of them are there when this returns."""
    producer = Producer({"bootstrap.servers": broker.address, "acks": "all"})
    for number, message in enumerate(messages):
        producer.produce(topic, message, partition=number % partitions)
        producer.poll(0)
    assert producer.flush(GIVE_UP_S) == 0


def consumer(broker: Broker) -> Consumer:
    return clients.consumer(broker.address, None)


def all_of(broker: Broker, topic: str, partition: int = 0) -> list[bytes]:
    """Every message of one partition, as the job reads it."""
    one = consumer(broker)
    first, end = one.get_watermark_offsets(_partition(topic, partition), timeout=GIVE_UP_S)
    found = list(values(one, topic, Part(partition, first, end))) if end > first else []
    one.close()
    return found


def verdicts_in(broker: Broker, topic: str) -> tuple[list[dict[str, Any]], int]:
    """Every revision in a topic of one partition, once, as a reader has it who knows them by operation and revision;
    and how often one came again. One that comes again says the same, to the byte."""
    found: dict[tuple[str, int], bytes] = {}
    messages = all_of(broker, topic)
    for message in messages:
        said = json.loads(message)
        name = said["operation_id"], said["revision"]
        assert found.setdefault(name, message) == message, f"two verdicts under one revision: {name}"
    return [json.loads(message) for message in found.values()], len(messages) - len(found)


def _partition(topic: str, partition: int) -> Any:
    from confluent_kafka import TopicPartition

    return TopicPartition(topic, partition)
