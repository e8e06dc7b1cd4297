# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "opentelemetry-instrumentation-httpx==0.66b1", "opentelemetry-instrumentation-requests==0.66b1",
#   "opentelemetry-instrumentation-urllib3==0.66b1", "opentelemetry-instrumentation-aiohttp-client==0.66b1",
#   "httpx==0.28.1", "requests==2.34.2", "urllib3==2.8.0", "aiohttp==3.14.5",
#   "opentelemetry-exporter-otlp-proto-common", "opentelemetry-sdk",
# ]
# ///
"""Record what OpenTelemetry's instrumentations of HTTP clients emit below a tool's span, under the old and the new
names. Usage: uv run --script FILE OUT. ``recording.ran`` counts the requests that reached the provider.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from provider import Provider, nobody
from recording import Stories

PATIENCE_S = 0.5
KEY = {"Idempotency-Key": "order-17"}
CAPTURE = "OTEL_INSTRUMENTATION_HTTP_CAPTURE_HEADERS_CLIENT_REQUEST"
Send = Callable[[str, dict[str, str]], Any]


def by_httpx(url: str, headers: dict[str, str]) -> None:
    import httpx

    with httpx.Client(timeout=PATIENCE_S, follow_redirects=True) as client:
        client.post(url, headers=headers, json={"amount": 5})


def by_requests(url: str, headers: dict[str, str]) -> None:
    import requests

    requests.post(url, headers=headers, json={"amount": 5}, timeout=PATIENCE_S)


def by_requests_that_resends(url: str, headers: dict[str, str]) -> None:
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3 import Retry

    with requests.Session() as session:
        session.mount("http://", HTTPAdapter(max_retries=Retry(3, status_forcelist=(503,), allowed_methods=None)))
        session.post(url, headers=headers, json={"amount": 5}, timeout=PATIENCE_S)


def by_urllib3(url: str, headers: dict[str, str], **more: Any) -> None:
    import urllib3

    urllib3.PoolManager().request(
        "POST", url, headers=headers, json={"amount": 5}, timeout=PATIENCE_S, retries=more.get("retries", False)
    )


def by_urllib3_that_resends(url: str, headers: dict[str, str]) -> None:
    import urllib3

    retry = urllib3.Retry(3, status_forcelist=(503,), allowed_methods=None)
    by_urllib3(url, headers, retries=retry)


def by_urllib3_that_follows(url: str, headers: dict[str, str]) -> None:
    import urllib3

    by_urllib3(url, headers, retries=urllib3.Retry(3))


def by_aiohttp(url: str, headers: dict[str, str]) -> None:
    import aiohttp

    async def send() -> None:
        patience = aiohttp.ClientTimeout(total=PATIENCE_S)
        async with (
            aiohttp.ClientSession(timeout=patience) as client,
            client.post(url, headers=headers, json={"amount": 5}) as answer,
        ):
            await answer.read()

    asyncio.run(send())


CLIENTS: dict[str, tuple[Send, tuple[str, ...], dict[str, Send]]] = {
    "httpx": (by_httpx, ("httpx",), {}),
    "requests": (by_requests, ("requests",), {"resent": by_requests_that_resends}),
    "urllib3": (
        by_urllib3,
        ("urllib3",),
        {"resent": by_urllib3_that_resends, "redirected": by_urllib3_that_follows},
    ),
    "aiohttp": (by_aiohttp, ("aiohttp-client",), {}),
    "requests-and-urllib3": (by_requests, ("requests", "urllib3"), {"resent": by_requests_that_resends}),
}
FEW = ("good", "nobody-listens", "no-answer", "retried")
"""Told under the old names too, and of two instrumentations on top of each other; what differs shows in these."""

INSTRUMENTORS = {
    "httpx": "HTTPXClientInstrumentor",
    "requests": "RequestsInstrumentor",
    "urllib3": "URLLib3Instrumentor",
    "aiohttp-client": "AioHttpClientInstrumentor",
}


def record(out: Path, client: str, names: str) -> None:
    send, instrumentations, others = CLIENTS[client]
    packages = [f"opentelemetry-instrumentation-{name}" for name in instrumentations]
    libraries = [{"aiohttp-client": "aiohttp"}.get(name, name) for name in instrumentations]
    stories = Stories(out, f"{client}-{names}", *packages, *libraries)
    for name in instrumentations:
        module = import_module(f"opentelemetry.instrumentation.{name.replace('-', '_')}")
        getattr(module, INSTRUMENTORS[name])().instrument(tracer_provider=stories.provider)

    def reached() -> None:
        stories.ran += 1

    provider = Provider(reached)
    told: dict[str, list[tuple[str, dict[str, str]]]] = {
        "good": [(provider.url("charges"), KEY)],
        "nobody-listens": [(nobody(), KEY)],
        "no-answer": [(provider.url("hangs"), KEY)],
        "hung-up": [(provider.url("hangs-up"), KEY)],
        "server-error": [(provider.url("status/500"), KEY)],
        "retried": [(provider.url("once/503"), KEY), (provider.url("once/503"), KEY)],
        "retried-without-a-key": [(provider.url("once/503"), {}), (provider.url("once/503"), {})],
        "redirected": [(provider.url("moved"), KEY)],
        **({"resent": [(provider.url("once/503"), {})]} if "resent" in others else {}),
    }
    for story, requests in told.items():
        if (names == "old" or len(instrumentations) > 1) and story not in FEW:
            continue
        provider.forget()
        with stories.story(story), stories.tool():
            for url, headers in requests:
                others.get(story, send)(url, headers)


if len(sys.argv) > 2:
    record(Path(sys.argv[1]), *sys.argv[2:])
else:
    for names, opt_in in (("old", ""), ("new", "http")):  # read once in each process
        for client in CLIENTS:
            variables = {**os.environ, "OTEL_SEMCONV_STABILITY_OPT_IN": opt_in, CAPTURE: "idempotency-key"}
            subprocess.run([sys.executable, __file__, sys.argv[1], client, names], env=variables, check=True)
