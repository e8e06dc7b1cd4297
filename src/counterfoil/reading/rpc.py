"""Client spans of remote procedure calls: gRPC and its kin, under the old and the new semantic conventions.

Nothing in a call's name says whether it changes something, so every one may; only what an operator declares of the
tool says otherwise. No status but OK tells what the server did: a client's library, a proxy and a server's own code
give the same codes, and a library that found nobody may have sent the call before by its own retries.
"""

from __future__ import annotations

from collections.abc import Mapping

from opentelemetry.trace import SpanKind

from counterfoil.facts import Transport
from counterfoil.reading.failures import Failure, failure_of
from counterfoil.reading.http import HOST, PORT, Ending, Target
from counterfoil.reading.values import MAX_TEXT
from counterfoil.reading.views import SpanView

SYSTEM = ("rpc.system.name", "rpc.system")
METHOD = "rpc.method"
SERVICE = "rpc.service"
STATUS = ("rpc.response.status_code", "rpc.grpc.status_code")
METADATA = ("rpc.request.metadata.", "rpc.grpc.request.metadata.", "rpc.connect_rpc.request.metadata.")

READS = ("grpc.health.", "grpc.reflection.")
"""Services of gRPC itself, which only tell how the server is."""

_OK = (0, "0", "OK")
_TRANSPORTS: Mapping[object, Transport] = {
    **dict.fromkeys((1, "1", "CANCELLED"), Transport.CANCELLED),
    **dict.fromkeys((4, "4", "DEADLINE_EXCEEDED"), Transport.TIMEOUT),
}
_FAILURES: Mapping[Failure, Transport] = {Failure.CANCELLED: Transport.CANCELLED, Failure.TIMEOUT: Transport.TIMEOUT}


def is_call(span: SpanView) -> bool:
    """Whether this is the client's span of a call. What the Model Context Protocol sends is a tool's call, not this."""
    attributes = span.attributes or {}
    return span.kind is SpanKind.CLIENT and (SYSTEM[0] in attributes or SYSTEM[1] in attributes)


def target_of(span: SpanView) -> Target | None:
    """Which method, of which service, on which server; None for a call that can't change anything."""
    attributes = span.attributes or {}
    method, service = attributes.get(METHOD), attributes.get(SERVICE)
    name = method if isinstance(method, str) else span.name
    path = f"{service}/{name}" if isinstance(service, str) and "/" not in name else name
    path = path.lstrip("/")
    if path.startswith(READS):
        return None
    host = next((value for name in HOST if isinstance(value := attributes.get(name), str)), "")
    port = next((value for name in PORT if isinstance(value := attributes.get(name), int)), None)
    server = f"{host}:{port}" if host and port is not None and ":" not in host else host
    return Target("CALL", server.lower()[:MAX_TEXT], path[:MAX_TEXT], "rpc")


def ending_of(span: SpanView) -> Ending:
    """How an ended call came back. A code other than OK leaves doubt, whichever it is."""
    attributes = span.attributes or {}
    code = next((attributes[name] for name in STATUS if name in attributes), None)
    failure = failure_of(span)
    if failure is None and (code is None or _is(code, _OK)):
        return Ending(Transport.STARTED if code is None else Transport.SUCCESS)
    said = next((transport for known, transport in _TRANSPORTS.items() if _is(code, (known,))), None)
    return Ending(said or _FAILURES.get(failure or Failure.OTHER, Transport.ERROR))


def _is(code: object, known: tuple[object, ...]) -> bool:
    return isinstance(code, int | str) and not isinstance(code, bool) and code in known
