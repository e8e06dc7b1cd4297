"""HTTP client spans: requests that may change something, under the old and the new semantic conventions.

A span shows a key only where the instrumentation was told to capture its header. A captured header that is missing is
a key that was not sent; where it isn't captured, or somebody blanked it, nobody knows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from opentelemetry.trace import SpanKind

from counterfoil.facts import Transport
from counterfoil.reading.failures import Failure, failure_of
from counterfoil.reading.values import MAX_TEXT, text
from counterfoil.reading.views import Attributes, SpanView

METHOD = ("http.request.method", "http.method")
STATUS = ("http.response.status_code", "http.status_code")
URL = ("url.full", "http.url")
HOST = ("server.address", "net.peer.name", "http.host")
PORT = ("server.port", "net.peer.port")
PATH = ("url.path", "http.target")
RESENDS = "http.request.resend_count"
REQUEST_HEADER = "http.request.header."
RESPONSE_HEADER = "http.response.header."

WRITES = frozenset(("POST", "PUT", "PATCH", "DELETE"))
_CLIENTS = ("httpx", "requests", "urllib3", "aiohttp_client")
CAPTURING = frozenset(f"opentelemetry.instrumentation.{client}" for client in _CLIENTS)
"""Instrumentations that capture what OpenTelemetry's variable names: what they don't show was not sent."""
KEY_HEADERS = frozenset(("idempotency-key", "x-idempotency-key"))
REPLAYED_HEADERS = frozenset(("idempotent-replayed", "idempotency-replayed", "x-idempotent-replayed"))
_BLANKED = ("[redacted", "[scrubbed", "[filtered", "<redacted", "***")
_DEFAULT_PORTS = {("http", 80), ("https", 443)}
MAX_RESENDS = 1_000


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request went. Query and credentials are no part of it. ``reader``: which vocabulary told."""

    method: str
    server: str
    path: str
    reader: str = "http"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a request came back, as its client saw it."""

    transport: Transport
    http_status: int | None = None
    not_sent: bool = False

    @property
    def is_clean(self) -> bool:
        """The server took it: whatever is sent there next is not a repeat for want of an answer."""
        return self.transport is Transport.SUCCESS or (self.http_status is not None and 200 <= self.http_status < 400)


def is_request(span: SpanView) -> bool:
    """Whether this is the client's span of an HTTP request."""
    attributes = span.attributes or {}
    return span.kind is SpanKind.CLIENT and (METHOD[0] in attributes or METHOD[1] in attributes)


def target_of(span: SpanView) -> Target | None:
    """The target of a request that may change something; None for every other one."""
    attributes = span.attributes or {}
    method = _first(attributes, METHOD)
    if not isinstance(method, str) or method.upper() not in WRITES:
        return None
    server, path = "", ""
    url = _first(attributes, URL)
    if isinstance(url, str):
        server, path = _split(url)
    host, port = _first(attributes, HOST), _first(attributes, PORT)
    if not server and isinstance(host, str):
        server = f"{host}:{port}" if isinstance(port, int) and ":" not in host else host
    named = _first(attributes, PATH)
    if not path and isinstance(named, str):
        path = named.partition("?")[0]
    return Target(method.upper(), server.lower()[:MAX_TEXT], path[:MAX_TEXT])


def ending_of(span: SpanView) -> Ending:
    """How an ended request came back. A status that came back counts for more than an error after it."""
    attributes = span.attributes or {}
    status = _first(attributes, STATUS)
    if isinstance(status, int) and not isinstance(status, bool) and 100 <= status <= 999:
        return Ending(Transport.HTTP_STATUS, status)
    match failure_of(span):
        case Failure.NOT_SENT:
            return Ending(Transport.ERROR, not_sent=not _may_have_sent_before(span))
        case Failure.TIMEOUT:
            return Ending(Transport.TIMEOUT)
        case Failure.CANCELLED:
            return Ending(Transport.CANCELLED)
        case Failure.OTHER:
            return Ending(Transport.ERROR)
    return Ending(Transport.STARTED)  # no status and no error: given up in silence


def _may_have_sent_before(span: SpanView) -> bool:
    """An adapter of requests may send again by itself, under one span: that the last try found nobody says nothing of
    those before it."""
    scope = span.instrumentation_scope
    return scope is not None and scope.name == "opentelemetry.instrumentation.requests"


def wire_requests(attributes: Attributes) -> int | None:
    """How many requests the client sent for this span, where it says so."""
    resent = attributes.get(RESENDS)
    if isinstance(resent, int) and not isinstance(resent, bool) and 0 < resent <= MAX_RESENDS:
        return resent + 1
    return None


def header(attributes: Attributes, prefix: str, wanted: Collection[str]) -> str | None:
    """The value of a captured header, whichever way its name was written; None for one that somebody blanked."""
    for name, value in attributes.items():
        if name.startswith(prefix) and name[len(prefix) :].lower().replace("_", "-") in wanted:
            one = value[0] if isinstance(value, list | tuple) and value else value
            try:
                said = text(one)
            except ValueError:
                continue
            if said is not None and not is_blanked(said):
                return said
    return None


def is_blanked(value: object) -> bool:
    """Whether somebody took the value away and left a mark."""
    return isinstance(value, str) and value.lower().startswith(_BLANKED)


def sent_without(span: SpanView, wanted: Collection[str], captured: tuple[str, ...]) -> bool:
    """Whether a request is known to have had none of these headers: its instrumentation was told to show them, and
    doesn't. One that was blanked was there."""
    scope = span.instrumentation_scope
    if scope is None or scope.name not in CAPTURING or not any(captures(captured, name) for name in wanted):
        return False
    shown = (name for name in span.attributes or {} if name.startswith(REQUEST_HEADER))
    return not any(name[len(REQUEST_HEADER) :].lower().replace("_", "-") in wanted for name in shown)


@lru_cache(maxsize=256)
def captures(patterns: tuple[str, ...], name: str) -> bool:
    """As the instrumentations read their variable: regular expressions for whole names, in whatever case."""
    for pattern in patterns:
        try:
            if re.fullmatch(pattern, name, re.IGNORECASE):
                return True
        except re.error:
            continue
    return False


def headers(attributes: Attributes) -> Mapping[str, str]:
    """All captured headers of the answer, names in lower case and with dashes."""
    found = {}
    for name in attributes:
        if name.startswith(RESPONSE_HEADER):
            spelled = name[len(RESPONSE_HEADER) :].lower().replace("_", "-")
            if (value := header(attributes, RESPONSE_HEADER, (spelled,))) is not None:
                found[spelled] = value
    return found


def _first(attributes: Attributes, known: tuple[str, ...]) -> object:
    return next((attributes[name] for name in known if name in attributes), None)


@lru_cache(maxsize=1_024)
def _split(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url[: 4 * MAX_TEXT])
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return "", ""
    plain = port is None or (parts.scheme, port) in _DEFAULT_PORTS
    return (host if plain else f"{host}:{port}"), parts.path
