"""Whether the evidence that verdicts need is there: tool spans with content, requests below them, their keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from counterfoil import names
from counterfoil.config import CAPTURE, Lookup, Place
from counterfoil.doctoring.check import Check, missing, ok
from counterfoil.doctoring.surroundings import Surroundings
from counterfoil.doors.agents import CONTENT, NO_CONTENT
from counterfoil.reading.http import captures

GENAI = "opentelemetry-util-genai"
ON_SPANS = ("span_only", "span_and_event")
"""What those of OpenTelemetry's instrumentations that are built on it understand; they take any other word for "no"."""
DISABLED = "OTEL_PYTHON_DISABLED_INSTRUMENTATIONS"
KEY_HEADER = "idempotency-key"
CLIENTS = {"httpx": "httpx", "requests": "requests", "urllib3": "urllib3", "aiohttp": "aiohttp-client"}
"""HTTP clients by distribution, and the name of their instrumentation."""


def sources(around: Surroundings) -> Iterator[Check]:
    yield from _agents(around)
    yield _content(around)
    yield from _clients(around)
    tools = around.config.tools.values()
    keys = (lookup for tool in tools for lookup in (tool.idempotency_key, tool.operation_id))
    yield _headers(around, "request", [KEY_HEADER, *_headers_of(keys)], "whether a retry had the same key")
    if answers := _headers_of(tool.effect_ref for tool in tools):
        yield _headers(around, "response", answers, "effects that a header names")
    if around.config.hash_key is None:
        says = "hashes of requests and keys are plain SHA-256: who knows the few possible values can try them"
        yield missing("hash key", says, f"{names.HASH_KEY_SETTING}=<16 characters or more, the same in all processes>")
    else:
        yield ok("hash key", "hashes of requests and keys are HMACs")


def _agents(around: Surroundings) -> Iterator[Check]:
    if not around.has("pydantic-ai-slim"):
        return
    if around.config.instrument_pydantic_ai:
        yield ok("Pydantic AI", "agents without a choice of their own are instrumented")
    else:
        says = "only agents that the application instruments itself are seen"
        yield missing("Pydantic AI", says, f"{names.INSTRUMENT_PYDANTIC_AI_SETTING}=true")


def _content(around: Surroundings) -> Check:
    said = around.variable(CONTENT).lower()
    way_out = f"{CONTENT}={ON_SPANS[0]} (they then leave with the application's own spans)"
    if said in NO_CONTENT:
        says = f"{CONTENT} keeps arguments off the spans: no request can be hashed"
        return missing("content", says, way_out)
    if around.has(GENAI) and said not in ON_SPANS:
        says = (
            "OpenTelemetry's GenAI instrumentations keep arguments off the spans unless told: "
            "a retry of their calls can't be known as one"
        )
        return missing("content", says, way_out)
    return ok("content", "arguments are on the spans unless the application keeps them off")


def _clients(around: Surroundings) -> Iterator[Check]:
    disabled = around.words(DISABLED)
    for client, instrumentation in CLIENTS.items():
        if not around.has(client) or (client == "urllib3" and around.has("requests")):  # which sends by it
            continue
        package = f"opentelemetry-instrumentation-{instrumentation}"
        if not around.has(package):
            yield missing(client, "its requests are not seen", f"install {package}")
        elif "*" in disabled or instrumentation in disabled:
            yield missing(client, f"its instrumentation is switched off by {DISABLED}", f"take it out of {DISABLED}")
        else:
            yield ok(client, "its requests are seen under opentelemetry-instrument, or where the application says so")


def _headers(around: Surroundings, side: str, wanted: list[str], lost: str) -> Check:
    variable = CAPTURE + side.upper()
    if variable not in around.environ and around.config.capture_keys:
        shown = "as hashes" if side == "request" else "as they are"
        return ok(f"{side} headers", f"{', '.join(dict.fromkeys(wanted))} will be recorded, {shown}")
    captured = around.words(variable)
    left_out = [name for name in dict.fromkeys(wanted) if not captures(tuple(captured), name)]
    if left_out:
        says = f"{', '.join(left_out)} of each {side} is not recorded: nobody can see {lost}"
        return missing(f"{side} headers", says, f"{variable}={','.join([*captured, *left_out])}")
    return ok(f"{side} headers", f"{', '.join(dict.fromkeys(wanted))} is recorded")


def _headers_of(lookups: Iterable[Lookup | None]) -> list[str]:
    return [each.text for each in lookups if each is not None and each.place is Place.HEADER]
