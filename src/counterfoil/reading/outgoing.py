"""What leaves for the outside, in whichever protocol: HTTP requests, remote calls, messages."""

from __future__ import annotations

from counterfoil.reading import http, messaging, rpc
from counterfoil.reading.http import Ending, Target
from counterfoil.reading.views import SpanView

HEADERS = (http.REQUEST_HEADER, *rpc.METADATA)
"""What the attributes begin with under which a request's headers, or a call's metadata, may stand."""


def is_request(span: SpanView) -> bool:
    """Whether this span is its sender's. Some spans are of a call and of the HTTP request that carried it."""
    return http.is_request(span) or rpc.is_call(span) or messaging.is_send(span)


def target_of(span: SpanView) -> Target | None:
    """Where it goes; None for what can't change anything there."""
    if http.is_request(span):
        return http.target_of(span)
    return messaging.target_of(span) if messaging.is_send(span) else rpc.target_of(span)


def ending_of(span: SpanView, target: Target) -> Ending:
    """How it came back, for its sender."""
    match target.reader:
        case "rpc":
            return rpc.ending_of(span)
        case "messaging":
            return messaging.ending_of(span)
    return http.ending_of(span)
