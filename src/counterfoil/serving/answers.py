"""How a judge answers: what was kept, or why nothing was and whether it is worth coming back.

A sender that is told to come back keeps its facts; one that isn't drops them. So only what no second try can mend is
answered for good.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from google.rpc import code_pb2  # type: ignore[import-untyped]


class Why(Enum):
    """Why a request was refused: a word for metrics, the status by HTTP and by gRPC, and what to do, in words."""

    MALFORMED = "malformed", 400, code_pb2.INVALID_ARGUMENT, "send an OTLP export request for logs"
    UNAUTHENTICATED = "unauthenticated", 401, code_pb2.UNAUTHENTICATED, "send the judge's token as a bearer token"
    SLOW = "slow", 408, code_pb2.DEADLINE_EXCEEDED, "the body did not arrive in time"
    TOO_LARGE = "too_large", 413, code_pb2.INVALID_ARGUMENT, "send smaller batches, or raise the judge's --max-body"
    UNSUPPORTED = "unsupported", 415, code_pb2.UNIMPLEMENTED, "send protobuf or JSON, plain or as gzip"
    TOO_FAST = "too_fast", 429, code_pb2.RESOURCE_EXHAUSTED, "more facts a second than the judge's --rate; come back"
    BUSY = "busy", 503, code_pb2.UNAVAILABLE, "as many requests as may be are being worked on; come back"
    LEDGER = "ledger", 503, code_pb2.UNAVAILABLE, "the ledger can't keep facts at the moment; come back"
    LEAVING = "leaving", 503, code_pb2.UNAVAILABLE, "this judge is shutting down; come back, or go to another"

    def __init__(self, word: str, http: int, grpc: int, way_out: str) -> None:
        self.word, self.http, self.grpc, self.way_out = word, http, grpc, way_out

    @property
    def is_retryable(self) -> bool:
        return self.http in (429, 503)


class Refused(Exception):
    """Nothing of a request was kept. ``after_s``: when to come back, in seconds, where that is worth it."""

    def __init__(self, why: Why, after_s: float = 1.0) -> None:
        super().__init__(why.way_out)
        self.why = why
        self.after_s = min(max(after_s, 0.1), 60.0)


@dataclass(frozen=True, slots=True)
class Kept:
    """All of a request is in the ledger but ``rejected``, which no second try would mend; by cause, content-free."""

    rejected: Mapping[str, int]

    @property
    def number(self) -> int:
        return sum(self.rejected.values())

    @property
    def message(self) -> str:
        return ", ".join(f"{number} {cause}" for cause, number in sorted(self.rejected.items()))
