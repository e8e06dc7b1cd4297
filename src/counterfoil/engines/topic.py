"""Reading one part of a topic, and nothing less: what is gone from it is told, never passed over.

Retention, or somebody, may have deleted messages before they were read. A fact that nobody has read can hide a
duplicate, so a gap is read in the place of what was lost, which leaves in doubt whatever it may concern; or, where that
was asked for, reading fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import monotonic

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from counterfoil.engines.offsets import Part
from counterfoil.engines.places import OnLoss
from counterfoil.facts import Gap
from counterfoil.records import canonical

PATIENCE_S = 120.0
"""How long brokers may give nothing of what they have, before reading fails."""

AT_ONCE = 500
"""Messages that are asked for at once. The client fetches ahead of that, bounded by its own settings."""

GATHER_S = 0.1
"""How long is waited for so many, where there are fewer."""

ASK_S = 10.0
"""How long one question may take."""


class Lost(Exception):
    """Messages are gone that were not read."""


class Silent(Exception):
    """The brokers gave nothing for `PATIENCE_S`."""


def values(
    consumer: Consumer, topic: str, part: Part, on_loss: str = OnLoss.DOUBT, patience_s: float = PATIENCE_S
) -> Iterator[bytes]:
    """The values of all messages of this part, in order. Raises `Lost`, `Silent` and `KafkaException`.

    A message without a value is none. Offsets at which there is nothing (a transaction's marks) are passed.
    """
    at = part.start
    consumer.assign([TopicPartition(topic, part.partition, at)])
    quiet_s = 0.0  # only what was waited here: who takes the values may take their time
    while at < part.end:
        asked = monotonic()
        messages = consumer.consume(AT_ONCE, timeout=GATHER_S)
        quiet_s += monotonic() - asked
        for message in messages:
            error = message.error()
            if error is None or error.code() == KafkaError._PARTITION_EOF:
                if _offset(message) >= part.end:
                    return
                if error is None:
                    quiet_s, at = 0.0, _offset(message) + 1
                    if (value := message.value()) is not None:
                        yield bytes(value)
            elif error.code() == KafkaError._AUTO_OFFSET_RESET:
                first = _first(consumer, topic, part, at)
                if on_loss == OnLoss.FAIL:
                    raise Lost(_what(topic, part.partition, at, first) + _WAY_OUT)
                yield canonical(
                    Gap(what=_what(topic, part.partition, at, min(first, part.end)), observed_at=0)
                ).encode()
                quiet_s, at = 0.0, first
                consumer.assign([TopicPartition(topic, part.partition, at)])
                break
            elif not is_passing(error):
                raise KafkaException(error)
        if quiet_s > patience_s:
            raise Silent(f"partition {part.partition} of {topic} gave nothing for {patience_s:.0f} s, and has more")


def is_passing(error: KafkaError) -> bool:
    """Brokers are away, or choose a leader: the same may go well a moment later."""
    return bool(error.retriable()) or error.code() in _PASSING


_PASSING = frozenset(
    {
        KafkaError._TRANSPORT,
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError._TIMED_OUT,
        KafkaError._RESOLVE,
        KafkaError._WAIT_COORD,
        KafkaError.REQUEST_TIMED_OUT,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.BROKER_NOT_AVAILABLE,
    }
)

_WAY_OUT = "; --lost doubt goes on, and leaves in doubt whatever that may concern"


def _first(consumer: Consumer, topic: str, part: Part, at: int) -> int:
    """The first offset that there still is. Raises `Lost` where that is none after ``at``: something else is wrong."""
    first, _ = consumer.get_watermark_offsets(TopicPartition(topic, part.partition), timeout=ASK_S)
    if first <= at:
        raise Lost(
            f"offset {at} of partition {part.partition} of {topic} can't be read, and is not older than what is there: "
            "the partition was cut off at its end. Start anew with another folder for the checkpoint"
        )
    return int(first)


def _what(topic: str, partition: int, start: int, end: int) -> str:
    return f"{end - start} messages of partition {partition} of {topic} were deleted before they were read"


def _offset(message: Message) -> int:
    offset = message.offset()
    return -1 if offset is None else offset


def gathered(messages: Iterable[bytes], most: int, most_bytes: int) -> Iterator[list[bytes]]:
    """The same in lists of so many, and of so many bytes where no single one is larger."""
    some: list[bytes] = []
    size = 0
    for message in messages:
        if some and (len(some) >= most or size + len(message) > most_bytes):
            yield some
            some, size = [], 0
        some.append(message)
        size += len(message)
    if some:
        yield some
