"""Where facts come from and verdicts go, as people write it: a folder, a topic of Kafka, or OTLP.

An address has no credentials in it, since a command line and a query's plan show it to everybody.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

KAFKA = "kafka://"
OTLP = "otlp"

_TOPIC = re.compile(r"[a-zA-Z0-9._-]{1,249}")
_BROKER = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^\s@/:,]+):\d{1,5}")


class OnLoss(StrEnum):
    """Messages were deleted before they were read: leave in doubt what they may concern, or end."""

    DOUBT = "doubt"
    FAIL = "fail"


class NoPlace(ValueError):
    """An address that can't be used: which, why, and what to write."""


@dataclass(frozen=True, slots=True)
class Topic:
    """``brokers``: addresses to begin with, HOST:PORT, separated by commas. The brokers name the others."""

    brokers: str
    name: str


def topic_of(address: str) -> Topic | None:
    """The topic that an address names, None where it is a folder's. Raises `NoPlace`, without showing a password."""
    if not address.startswith(KAFKA):
        return None
    if "@" in address:
        raise NoPlace("an address of Kafka holds no credentials; put them into the file of --kafka-config")
    brokers, _, name = address.removeprefix(KAFKA).partition("/")
    if not all(_BROKER.fullmatch(broker) for broker in brokers.split(",")) or not _TOPIC.fullmatch(name):
        raise NoPlace(f"{address} is no topic of Kafka; write kafka://HOST:PORT[,HOST:PORT]/TOPIC")
    return Topic(brokers, name)


@dataclass(frozen=True, slots=True)
class Ways:
    """All that a job's verdicts are told by: one folder, or any of ``topics`` and OTLP."""

    folder: str | None
    topics: tuple[Topic, ...] = ()
    otlp: bool = False


def ways_of(addresses: Sequence[str]) -> Ways:
    """Raises `NoPlace`."""
    topics = tuple(topic for address in addresses if (topic := topic_of(address)) is not None)
    folders = [address for address in addresses if address != OTLP and not address.startswith(KAFKA)]
    if len(folders) > 1 or (folders and len(addresses) > 1):
        raise NoPlace(
            f"{folders[0]} is a folder, and a folder of verdicts goes alone; start another job for the others"
        )
    return Ways(folders[0] if folders else None, topics, OTLP in addresses)
