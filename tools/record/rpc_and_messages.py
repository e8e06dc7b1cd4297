# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "opentelemetry-instrumentation-grpc==0.66b1", "opentelemetry-instrumentation-celery==0.66b1",
#   "grpcio==1.85.3", "celery==5.7.0", "opentelemetry-exporter-otlp-proto-common", "opentelemetry-sdk",
# ]
# ///
"""Record what OpenTelemetry's instrumentations of gRPC and Celery emit below a tool's span, with a real server and a
broker in memory. Usage: uv run --script FILE OUT. ``recording.ran`` counts the calls and messages that arrived.
"""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
from celery import Celery
from opentelemetry import trace
from opentelemetry.instrumentation.celery import CeleryInstrumentor
from opentelemetry.instrumentation.grpc import GrpcInstrumentorClient
from recording import Stories

OUT = Path(sys.argv[1])
HANGS_S = 1.0
PATIENCE_S = 0.3


class Charges(grpc.GenericRpcHandler):
    """Fails as the request says, once for ``once``; health checks are answered and not counted."""

    def __init__(self, stories: Stories) -> None:
        self.stories, self.failed = stories, False

    def service(self, handler_call_details: Any) -> Any:
        if "health" in handler_call_details.method:
            return grpc.unary_unary_rpc_method_handler(lambda request, context: b"")
        return grpc.unary_unary_rpc_method_handler(self.charge)

    def charge(self, request: bytes, context: Any) -> bytes:
        self.stories.ran += 1
        how = request.decode()
        if how == "hangs":
            time.sleep(HANGS_S)
        elif how == "once":
            if not self.failed:
                self.failed = True
                context.abort(grpc.StatusCode.UNAVAILABLE, "try again")
        elif how:
            context.abort(grpc.StatusCode[how], "no")
        return b"ch_1"


def record_grpc() -> None:
    stories = Stories(OUT, "grpc", "opentelemetry-instrumentation-grpc", "grpcio")
    trace.set_tracer_provider(stories.provider)  # it asks for no other
    GrpcInstrumentorClient().instrument()
    handler = Charges(stories)
    server = grpc.server(ThreadPoolExecutor(4), handlers=[handler])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = free.getsockname()[1]

    def send(how: str = "", *, to: int = port, method: str = "/shop.Charges/Create") -> None:
        with grpc.insecure_channel(f"127.0.0.1:{to}") as channel:
            channel.unary_unary(method)(how.encode(), timeout=PATIENCE_S if how == "hangs" else 10)

    def retried() -> None:
        try:
            send("once")
        except grpc.RpcError:
            send("once")

    def polled() -> None:
        for _ in range(3):
            send(method="/grpc.health.v1.Health/Check")
        send()

    told: dict[str, Callable[[], None]] = {
        "good": send,
        "nobody-listens": lambda: send(to=nobody),
        "deadline-exceeded": lambda: send("hangs"),
        "unavailable": lambda: send("UNAVAILABLE"),
        "invalid-argument": lambda: send("INVALID_ARGUMENT"),
        "cancelled": lambda: send("CANCELLED"),
        "retried": retried,
        "after-health-checks": polled,
    }
    for story, does in told.items():
        handler.failed = False
        with stories.story(story), stories.tool():
            does()
    server.stop(None)


def record_celery() -> None:
    stories = Stories(OUT, "celery", "opentelemetry-instrumentation-celery", "celery")
    CeleryInstrumentor().instrument(tracer_provider=stories.provider)

    def app(broker: str, name: str) -> Any:
        made = Celery("shop", broker=broker, set_as_current=False)
        made.conf.task_publish_retry = False
        made.conf.broker_transport_options = {"max_retries": 0}

        @made.task(name=name)
        def charge(amount: int) -> None:
            """Nobody works here."""

        return charge

    def put(task: Any) -> None:
        task.delay(5)
        stories.ran += 1

    here, away = app("memory://", "shop.charge"), app("pyamqp://127.0.0.1:1//", "shop.charge_elsewhere")
    told: dict[str, Callable[[], None]] = {
        "good": lambda: put(here),
        "two-tasks": lambda: (put(here), put(here))[0],
        "no-broker": lambda: put(away),
    }
    for story, does in told.items():
        with stories.story(story), stories.tool():
            does()


record_grpc()
record_celery()
