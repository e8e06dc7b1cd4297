"""Whether what is said can leave the process, and whether spans get as far as being read."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil import names
from counterfoil.doctoring.check import Check, contradiction, missing, ok
from counterfoil.doctoring.entrances import CONFIG_FILE
from counterfoil.doctoring.surroundings import Surroundings

SIGNALS = {"TRACES": "verdict spans", "METRICS": "metrics", "LOGS": "verdict events"}
ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
PROTOCOL = "OTEL_EXPORTER_OTLP_PROTOCOL"
SAMPLER, RATIO = "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"
GRPC = "opentelemetry-exporter-otlp-proto-grpc"
LENGTHS = ("OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT")
SHORTEST = 128
"""Characters that ids and hashes need; a hash with its prefix has 76."""


def exporting(around: Surroundings) -> Iterator[Check]:
    if around.variable(CONFIG_FILE):
        yield ok("exporters", f"{CONFIG_FILE} decides on exporters, samplers and limits; run the application to see")
        return
    if not any(around.variable(name) for name in (ENDPOINT, *(_endpoint(signal) for signal in SIGNALS))):
        says = "no OTLP endpoint is set: what is said leaves only where the application says where to"
        yield missing("endpoint", says, f"{ENDPOINT}=http://<collector>:4318")
    for signal, what in SIGNALS.items():
        yield from _exporter(around, signal, what)
    yield from _protocol(around)
    yield _sampler(around)
    for name in LENGTHS:
        limit = around.variable(name)
        if limit.isdecimal() and int(limit) < SHORTEST:
            says = f"{name} is {limit}: ids and hashes are cut, and arguments can't be hashed"
            yield contradiction("limits", says, f"{name}={SHORTEST} or more, or unset it")


def _endpoint(signal: str) -> str:
    return f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT"


def _exporter(around: Surroundings, signal: str, what: str) -> Iterator[Check]:
    name, variable = f"exporter {signal.lower()}", f"OTEL_{signal}_EXPORTER"
    words = around.words(variable)
    shown = ",".join(words)[:60]
    endpoint = around.variable(ENDPOINT) or around.variable(_endpoint(signal))
    if "none" in words:
        says = f"{variable} is none: {what} stay in the process"
        verdict_spans = signal == "TRACES"
        yield (contradiction if verdict_spans else missing)(name, says, f"{variable}=otlp")
    elif words and words != ["otlp"] and endpoint and around.has("logfire"):
        says = f"{variable} is {shown}: Logfire then exports nothing to the OTLP endpoint, without a word"
        yield contradiction(name, says, f"{variable}=otlp, or unset it")
    elif words:
        yield ok(name, f"{variable} is {shown}")
    elif endpoint:
        yield ok(name, f"{what} go by OTLP wherever the pipeline exports")


def _protocol(around: Surroundings) -> Iterator[Check]:
    """Where its exporter is missing, ``opentelemetry-instrument`` gives up: the application has no telemetry at all."""
    if around.has(GRPC):
        return
    if around.variable(PROTOCOL) == "grpc":
        yield contradiction("protocol", f"{PROTOCOL} is grpc, and {GRPC} is not installed", f"{PROTOCOL}=http/protobuf")
    elif not around.variable(PROTOCOL) and around.has("opentelemetry-distro"):
        says = f"opentelemetry-instrument exports by gRPC unless told otherwise, and {GRPC} is not installed"
        yield contradiction("protocol", says, f"{PROTOCOL}=http/protobuf")


def _sampler(around: Surroundings) -> Check:
    sampler, ratio = around.variable(SAMPLER), _ratio(around.variable(RATIO))
    logfire = not sampler and around.has("logfire")
    sampled = 0.0 if sampler.endswith("always_off") else ratio if "ratio" in sampler or logfire else 1.0
    if around.config.record_all:
        return ok("sampler", f"every span is seen, whatever the sampler keeps: {names.RECORD_ALL_SETTING} is on")
    if sampled == 0:
        says = "the sampler drops every span: no operation is seen, and no verdict is said"
        return contradiction("sampler", says, f"{names.RECORD_ALL_SETTING}=true, or unset {SAMPLER} and {RATIO}")
    if sampled < 1:
        whose = "Logfire" if logfire else "the sampler"
        says = f"{whose} keeps {sampled:.2%} of traces: operations in the others are not seen"
        return missing("sampler", says, f"{names.RECORD_ALL_SETTING}=true")
    return ok("sampler", "every span is seen")


def _ratio(text: str) -> float:
    try:
        return min(max(float(text), 0.0), 1.0)
    except ValueError:
        return 1.0
