"""An application's OpenTelemetry SDK that exports metrics over OTLP/HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource


@contextmanager
def meters(otlp: str, service: str) -> Iterator[MeterProvider]:
    """A meter provider that exports when it is flushed and when it ends, never in between."""
    exporter = OTLPMetricExporter(endpoint=f"{otlp}/v1/metrics")
    reader = PeriodicExportingMetricReader(exporter, export_interval_millis=600_000)
    resource = Resource({"service.name": service, "service.instance.id": "1"})
    provider = MeterProvider([reader], resource=resource)
    try:
        yield provider
    finally:
        provider.shutdown()
