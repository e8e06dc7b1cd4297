"""An ordinary pipeline: a provider, a batch processor, an OTLP exporter, all set by the environment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.httpx import HTTPXClientInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor


@contextmanager
def pipeline() -> Iterator[TracerProvider]:
    """The process's pipeline, for the time of the block. Counterfoil is not named: it attaches by environment."""
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    HTTPXClientInstrumentor().instrument()
    try:
        yield provider
    finally:
        provider.shutdown()
