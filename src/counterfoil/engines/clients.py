"""Clients of Kafka, with what somebody has set in a file: addresses are said openly, credentials never.

The file has librdkafka's own names (`sasl.mechanism=…`, `ssl.ca.location=…`), one a line. Every process that talks to
Kafka reads it for itself, so that what is in it gets into no command line, plan, checkpoint or event log.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from confluent_kafka import Consumer, KafkaException, Producer
from confluent_kafka.admin import AdminClient

OURS = frozenset(
    {
        "bootstrap.servers",
        "auto.offset.reset",
        "enable.auto.commit",
        "enable.auto.offset.store",
        "enable.idempotence",
        "enable.partition.eof",
    }
)
"""What is decided here: offsets are the checkpoint's, and addresses are in the address."""

C = TypeVar("C")

TAKEN_WITHIN_MS = 120_000
"""How long brokers may take for a message before the micro-batch fails, in milliseconds."""


class Unusable(Exception):
    """The file can't be used: which, where in it, and why, with nothing of what is in it but names of settings."""


def settings_in(path: str | None) -> dict[str, str]:
    """The settings of a file; none without one. Raises `Unusable`."""
    if not path:
        return {}
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise Unusable(
            f"{path} can't be read; every worker reads it, so it must be at that path on all of them"
        ) from None
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, equals, value = line.partition("=")
        if not equals:
            raise Unusable(f"line {number} of {path} is not NAME=VALUE")
        if name.strip() in OURS:
            raise Unusable(f"line {number} of {path} sets {name.strip()}, which is not to be set; leave it out")
        found[name.strip()] = value.strip()
    return found


def consumer(brokers: str, path: str | None) -> Consumer:
    """A consumer that is told where to begin, and says where a partition ends. It joins no group."""
    ours = {"auto.offset.reset": "error", "enable.auto.commit": False, "enable.partition.eof": True}
    given = {"group.id": "counterfoil", **settings_in(path)}
    return _made(Consumer, {"bootstrap.servers": brokers, **given, **ours}, path)


def admin(brokers: str, path: str | None) -> AdminClient:
    return _made(AdminClient, {"bootstrap.servers": brokers, **settings_in(path)}, path)


def producer(brokers: str, path: str | None) -> Producer:
    """An idempotent producer: what a connection's loss makes it send again is in the topic once, and in order."""
    ours = {"enable.idempotence": True}
    given = {"message.timeout.ms": TAKEN_WITHIN_MS, "linger.ms": 20, **settings_in(path)}
    return _made(Producer, {"bootstrap.servers": brokers, **given, **ours}, path)


def _made(cls: type[C], settings: Mapping[str, object], path: str | None) -> C:
    try:
        return cls(settings)  # type: ignore[call-arg]
    except (KafkaException, ValueError, TypeError) as refused:  # its own words may hold a value
        code = refused.args[0].name() if isinstance(refused, KafkaException) else type(refused).__name__
        raise Unusable(f"librdkafka refuses a setting of {path or 'ours'} ({code}); see its list of settings") from None
