"""Verdicts into a topic of Kafka: one message for each revision, keyed by operation id, sent by who judged.

A micro-batch that is run again after a crash sends its revisions again, with the same content: by operation id and
revision a reader knows them. Within one run an idempotent producer keeps each to one message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import orjson
import pyarrow
from confluent_kafka import KafkaError, KafkaException, Message, Producer
from pyspark.sql import DataFrame

from counterfoil.engines import clients
from counterfoil.engines.places import Topic

MOST_BYTES = 900_000
"""The largest message, in bytes: what brokers and clients take where nobody has raised their limits. A verdict that
would be larger is sent without what it was judged by, and with `shortened`."""

MOST_WITNESSES = 1_000
"""So many witnesses a shortened verdict names."""

SENT = "sent LONG"
_SENT = pyarrow.schema([("sent", pyarrow.int64())])


class Undelivered(Exception):
    """Brokers did not take verdicts; the micro-batch fails, and is run again from the checkpoint."""


def produced(verdicts: DataFrame, topic: Topic, config: str | None) -> int:
    """Send all rows (`judging.VERDICTS`) from the workers on which they are. How many. Raises what a task raises."""
    sent = verdicts.mapInArrow(partial(_produce, topic, config), SENT)
    return sum(row[0] for row in sent.collect())


def message(row: Mapping[str, Any]) -> bytes:
    """A verdict as JSON: the row's columns, with ``judged`` as an object."""
    whole = orjson.dumps({**row, "judged": orjson.Fragment(row["judged"])})
    if len(whole) <= MOST_BYTES:
        return whole
    short = {"judged": None, "witnesses": row["witnesses"][:MOST_WITNESSES], "shortened": True}
    return orjson.dumps({**row, **short})


def _produce(topic: Topic, config: str | None, batches: Iterable[Any]) -> Iterator[Any]:
    producer = clients.producer(topic.brokers, config)
    failed: list[KafkaError] = []
    number = 0

    def taken(error: KafkaError | None, _message: Message) -> None:
        if error is not None:
            failed.append(error)

    for batch in batches:
        for row in batch.to_pylist():
            _put(producer, topic.name, row["operation_id"].encode(), message(row), taken)
            number += 1
    waiting = producer.flush(clients.TAKEN_WITHIN_MS / 1_000)
    if failed or waiting:
        why = failed[0].name() if failed else "no answer"
        raise Undelivered(f"{len(failed) + waiting} of {number} verdicts were not taken by {topic.name} ({why})")
    yield pyarrow.RecordBatch.from_arrays([pyarrow.array([number])], schema=_SENT)


def _put(producer: Producer, topic: str, key: bytes, value: bytes, taken: Any) -> None:
    while True:
        try:
            producer.produce(topic, value, key, on_delivery=taken)
        except BufferError:  # as many wait as may; what is taken makes room
            producer.poll(0.5)
        except KafkaException as refused:
            raise Undelivered(f"a verdict can't be sent to {topic} ({refused.args[0].name()})") from None
        else:
            producer.poll(0)
            return
