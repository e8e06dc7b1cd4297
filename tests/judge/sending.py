"""Sending facts the ways that senders do: protobuf and JSON by HTTP, and gRPC; once, or until they are taken."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

import grpc
import httpx
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.collector.logs.v1.logs_service_pb2_grpc import LogsServiceStub
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from counterfoil.facts import Fact, Gap
from counterfoil.telling.events import fact_attributes
from tests.real.otlp import record

PROTOBUF = {"content-type": "application/x-protobuf"}
GIVE_UP_S = 120.0
CLIENT = httpx.Client(timeout=30)


def logged(fact: Fact | Gap, more: Mapping[str, Any] | None = None) -> LogRecord:
    """A fact as its sender says it. ``more``: attributes that are other than usual."""
    return record("counterfoil.fact", {**fact_attributes(fact), **(more or {})})


def request(records: Iterable[LogRecord]) -> ExportLogsServiceRequest:
    made = ExportLogsServiceRequest()
    made.resource_logs.add().scope_logs.add().log_records.extend(records)
    return made


def of_facts(facts: Iterable[Fact | Gap]) -> ExportLogsServiceRequest:
    return request(map(logged, facts))


def post(url: str, sent: ExportLogsServiceRequest | bytes, headers: Mapping[str, str] = PROTOBUF) -> httpx.Response:
    body = sent if isinstance(sent, bytes) else sent.SerializeToString()
    return CLIENT.post(f"{url}/v1/logs", content=body, headers=dict(headers))


def post_json(url: str, sent: ExportLogsServiceRequest) -> httpx.Response:
    return CLIENT.post(f"{url}/v1/logs", json=MessageToDict(sent))


def call(port: int, sent: ExportLogsServiceRequest, token: str = "") -> ExportLogsServiceResponse:
    metadata = [("authorization", f"Bearer {token}")] if token else []
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        return LogsServiceStub(channel).Export(sent, timeout=30, metadata=metadata, wait_for_ready=True)


def until_taken(url: str, sent: ExportLogsServiceRequest) -> int:
    """Send as a collector's queue does: again after no answer, or one that says to come back. How often it was sent."""
    until = time.monotonic() + GIVE_UP_S
    body = sent.SerializeToString()
    for tries in range(1, 10_000):
        try:
            answer = post(url, body)
            if answer.status_code == 200:
                return tries
            assert answer.status_code in (429, 503), answer.text
        except httpx.TransportError:
            pass
        assert time.monotonic() < until, "nobody took it"
        time.sleep(0.2)
    raise AssertionError("nobody took it")
