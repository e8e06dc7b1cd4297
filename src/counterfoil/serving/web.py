"""The door for OTLP over HTTP, and what a platform asks: is it alive, is it ready."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from typing import Any

import orjson
from google.protobuf.json_format import MessageToDict
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from counterfoil.serving.answers import Kept, Refused, Why
from counterfoil.serving.parcels import parcel_of_json, parcel_of_protobuf
from counterfoil.serving.taking import Taking
from counterfoil.serving.unpacking import unpacked

PROTOBUF, JSON = "application/x-protobuf", "application/json"
_READERS = {PROTOBUF: parcel_of_protobuf, JSON: parcel_of_json}
ASKED_AGAIN_S = 1.0
"""How long an answer about being ready holds: whoever asks often must not load the ledger."""


def web(taking: Taking, is_alive: Callable[[], bool], is_ready: Callable[[], bool]) -> Starlette:
    """``POST /v1/logs``, ``GET /healthz`` (alive) and ``GET /readyz`` (takes facts and reaches its ledger)."""
    answered: list[tuple[float, bool]] = []

    async def logs(request: Request) -> Response:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        try:
            return _kept(await _taken(taking, request, kind), kind)
        except Refused as refused:
            taking.refused(refused)
            return _refused(refused, kind)

    async def healthz(_request: Request) -> Response:
        return _said(is_alive())

    async def readyz(_request: Request) -> Response:
        now = time.monotonic()
        if not answered or now - answered[0][0] >= ASKED_AGAIN_S:
            answered[:] = [(now, await run_in_threadpool(is_ready))]
        return _said(answered[0][1] and not taking.is_leaving)

    return Starlette(
        routes=[
            Route("/v1/logs", logs, methods=["POST"]),
            Route("/healthz", healthz),
            Route("/readyz", readyz),
        ]
    )


async def _taken(taking: Taking, request: Request, kind: str) -> Kept:
    taking.tokens.check(request.headers.get("authorization"))
    if kind not in _READERS:
        raise Refused(Why.UNSUPPORTED)
    encoding = request.headers.get("content-encoding", "").strip().lower()
    with taking.place():
        body = await _body(request, taking.limits.body, taking.limits.patience_s)

        def work() -> Kept:
            return taking.take(_READERS[kind](unpacked(body, encoding, taking.limits.body), taking.limits))

        return await run_in_threadpool(work)


async def _body(request: Request, limit: int, patience_s: float) -> bytes:
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(patience_s):
            async for part in request.stream():
                size += len(part)
                if size > limit:
                    raise Refused(Why.TOO_LARGE)
                parts.append(part)
    except TimeoutError:
        raise Refused(Why.SLOW) from None
    except ClientDisconnect:
        raise Refused(Why.MALFORMED) from None
    return b"".join(parts)


def _said(well: bool) -> Response:
    return PlainTextResponse("ok\n" if well else "not now\n", 200 if well else 503)


def _kept(kept: Kept, kind: str) -> Response:
    answer = ExportLogsServiceResponse()
    if kept.number:
        answer.partial_success.rejected_log_records = kept.number
        answer.partial_success.error_message = kept.message
    return _response(answer, kind, 200, {})


def _refused(refused: Refused, kind: str) -> Response:
    why = refused.why
    headers = {"retry-after": str(math.ceil(refused.after_s))} if why.is_retryable else {}
    if why is Why.UNAUTHENTICATED:
        headers["www-authenticate"] = "Bearer"
    if why in (Why.TOO_LARGE, Why.SLOW):
        headers["connection"] = "close"  # what is still on its way is not waited for
    return _response(Status(code=why.grpc, message=str(refused)), kind, why.http, headers)


def _response(message: Any, kind: str, status: int, headers: dict[str, str]) -> Response:
    if kind == JSON:
        content = orjson.dumps(MessageToDict(message))
    else:
        content, kind = message.SerializeToString(), PROTOBUF
    return Response(content, status, headers, media_type=kind)
