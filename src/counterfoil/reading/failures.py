"""What the name of an error says about a request: never sent, out of time, given up, or merely failed.

Emitters give the class of the exception, with or without its module, as ``error.type``, in an event or at the front of
the status. Only classes whose libraries raise them before the request leaves are taken for a proof that it did not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum

from opentelemetry.trace import StatusCode

from counterfoil.reading.views import SpanView

ERROR_TYPE = "error.type"
EXCEPTION_TYPE = "exception.type"
EXCEPTION_MESSAGE = "exception.message"


class Failure(Enum):
    """How a request or a call failed."""

    NOT_SENT = "not sent"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    OTHER = "other"


_NOT_SENT = frozenset(
    [
        "connecterror",
        "connecttimeout",
        "connecttimeouterror",
        "connectiontimeouterror",
        "pooltimeout",
        "connectionrefusederror",
        "newconnectionerror",
        "clientconnectorerror",
        "clientconnectordnserror",
        "clientconnectorcertificateerror",
        "clientconnectorsslerror",
        "nameresolutionerror",
        "gaierror",
        "herror",
        "unsupportedprotocol",
        "invalidurl",
        "invalidschema",
        "missingschema",
        "locationparseerror",
        "emptypoolerror",
        "sslcertverificationerror",
        "certificateerror",
    ]
)
_TIMEOUT = frozenset(
    [
        "timeout",
        "timeouterror",
        "timeoutexception",
        "readtimeout",
        "readtimeouterror",
        "writetimeout",
        "servertimeouterror",
        "sockettimeouterror",
        "deadlineexceeded",
        "deadline_exceeded",
    ]
)
_CANCELLED = frozenset(("cancellederror", "cancelled"))
_AT_FRONT = re.compile(r"\s*([A-Za-z_][\w.]*)\s*(?::|$)", re.ASCII)
_LONGEST = 256


def failure_of(span: SpanView) -> Failure | None:
    """How a span failed; None for one that doesn't say so."""
    return failure_named(_names(span)) or (Failure.OTHER if span.status.status_code is StatusCode.ERROR else None)


def failure_named(names: Iterable[str]) -> Failure | None:
    """What the names of errors say, with or without their modules; None where there are none."""
    named = {name.rpartition(".")[2].lower() for name in names}
    for failure, known in ((Failure.NOT_SENT, _NOT_SENT), (Failure.TIMEOUT, _TIMEOUT), (Failure.CANCELLED, _CANCELLED)):
        if named & known:
            return failure
    return Failure.OTHER if named else None


def _names(span: SpanView) -> Iterable[str]:
    kind = (span.attributes or {}).get(ERROR_TYPE)
    if isinstance(kind, str):
        yield kind[:_LONGEST]
    if span.status.status_code is StatusCode.ERROR and isinstance(span.status.description, str):
        match = _AT_FRONT.match(span.status.description[:_LONGEST])
        if match:
            yield match[1]
    yield from (text for name, text in exceptions(span) if name == EXCEPTION_TYPE)


def exceptions(span: SpanView) -> Iterable[tuple[str, str]]:
    """The types and messages of the exceptions that were recorded on a span, shortened."""
    for event in span.events:
        for name in (EXCEPTION_TYPE, EXCEPTION_MESSAGE):
            text = (event.attributes or {}).get(name)
            if isinstance(text, str):
                yield name, text[:_LONGEST]
