"""Spans of messages that are sent: to Kafka, RabbitMQ, SQS, or as a task to a worker.

That a message was handed over says nothing of what its receiver does with it, nor always that a broker has it: some
clients only queue it. A span that ended well is a clean transport and no more. Clients of brokers connect, and send,
again by themselves, so that no error of theirs proves that nothing left.
"""

from __future__ import annotations

from opentelemetry.trace import SpanKind

from counterfoil.facts import Transport
from counterfoil.reading.failures import Failure, failure_of
from counterfoil.reading.http import HOST, PORT, Ending, Target
from counterfoil.reading.values import MAX_TEXT
from counterfoil.reading.views import Attributes, SpanView

SYSTEM = "messaging.system"
OPERATION = ("messaging.operation.type", "messaging.operation")
DESTINATION = ("messaging.destination.name", "messaging.destination")
CELERY = "celery.action"
CELERY_TASK = "celery.task_name"
CELERY_SENDS = "apply_async"

SENDS = frozenset(("send", "publish"))


def is_send(span: SpanView) -> bool:
    """Whether a message is handed over here: by a producer's span, unless that says that it does something else; or by
    a client's that says so."""
    if span.kind is not SpanKind.PRODUCER and span.kind is not SpanKind.CLIENT:
        return False
    attributes = span.attributes or {}
    operation = next((attributes[name] for name in OPERATION if name in attributes), None)
    if span.kind is SpanKind.CLIENT:
        return SYSTEM in attributes and isinstance(operation, str) and operation in SENDS
    return operation is None or (isinstance(operation, str) and operation in SENDS)


def target_of(span: SpanView) -> Target:
    """Which destination, at which broker, as far as the span says: some emitters say it only at its end."""
    attributes = span.attributes or {}
    named = _text(attributes, (*DESTINATION, CELERY_TASK))
    host = _text(attributes, HOST)
    port = next((value for name in PORT if isinstance(value := attributes.get(name), int)), None)
    server = f"{host}:{port}" if host and port is not None and ":" not in host else host
    return Target("SEND", server.lower()[:MAX_TEXT], (named or span.name)[:MAX_TEXT], "messaging")


def ending_of(span: SpanView) -> Ending:
    """How handing over came out."""
    match failure_of(span):
        case None:
            return Ending(Transport.SUCCESS)
        case Failure.TIMEOUT:
            return Ending(Transport.TIMEOUT)
        case Failure.CANCELLED:
            return Ending(Transport.CANCELLED)
    return Ending(Transport.ERROR)


def _text(attributes: Attributes, names: tuple[str, ...]) -> str:
    return next((value for name in names if isinstance(value := attributes.get(name), str)), "")
