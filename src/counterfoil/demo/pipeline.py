"""An ordinary OpenTelemetry pipeline, as any application has one, with Counterfoil attached by one line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from opentelemetry import _logs, metrics, trace
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.httpx import HTTPXClientInstrumentor
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from pydantic_ai import Agent

import counterfoil
from counterfoil.demo.jsonlines import JsonLines, LogLines, SpanLines

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"

HOST_SETTINGS = {
    # The idempotency key is on the wire; this is how it comes into the telemetry, without a line in the tools.
    "OTEL_INSTRUMENTATION_HTTP_CAPTURE_HEADERS_CLIENT_REQUEST": "idempotency-key",
    "OTEL_INSTRUMENTATION_HTTP_CAPTURE_HEADERS_CLIENT_RESPONSE": "idempotent-replayed",
    "OTEL_SEMCONV_STABILITY_OPT_IN": "http",
}


@contextmanager
def pipeline(out: Path, ledger: str) -> Iterator[None]:
    """Traces and logs go to a file of OTLP JSON lines; those and the metrics to the endpoint too, if one is set.

    Facts are kept in ``ledger``, never in the environment's. All is flushed when the block ends. Raises `OSError` when
    the file can't be written.
    """
    for name, value in HOST_SETTINGS.items():
        os.environ.setdefault(name, value)
    to_endpoint = bool(os.environ.get(ENDPOINT))
    resource = Resource.create({SERVICE_NAME: "counterfoil-demo"})
    with JsonLines(out) as lines:
        readers = [PeriodicExportingMetricReader(OTLPMetricExporter())] if to_endpoint else []
        meters = MeterProvider(resource=resource, metric_readers=readers)
        logs = LoggerProvider(resource=resource)
        traces = TracerProvider(resource=resource, sampler=ALWAYS_ON)
        logs.add_log_record_processor(BatchLogRecordProcessor(LogLines(lines)))
        traces.add_span_processor(BatchSpanProcessor(SpanLines(lines)))
        if to_endpoint:
            logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
            traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        metrics.set_meter_provider(meters)
        _logs.set_logger_provider(logs)
        trace.set_tracer_provider(traces)

        counterfoil.attach(traces, counterfoil.Config(ledger=ledger))

        Agent.instrument_all()
        HTTPXClientInstrumentor().instrument()
        try:
            yield
        finally:
            HTTPXClientInstrumentor().uninstrument()
            traces.shutdown()
            logs.shutdown()
            meters.shutdown()
