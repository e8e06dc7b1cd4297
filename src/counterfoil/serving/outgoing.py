"""The way out for verdicts: what is said is gathered, sent in one go, and known to have arrived before it is "told".

The SDK's batch processors say that a span was taken, not that it arrived; a judge that is killed would lose what is in
their queues after it was marked as told.
"""

from __future__ import annotations

import os
import threading

from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider, LogRecordProcessor, ReadableLogRecord, ReadWriteLogRecord
from opentelemetry.sdk._logs.export import LogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from counterfoil.telling.spans import Private

TIMEOUT_S = 3.0
"""How long one export may take where OTEL_EXPORTER_OTLP_TIMEOUT doesn't say: operations are claimed for so long, and a
sender's facts about them may have to wait."""

_TIMEOUT = "OTEL_EXPORTER_OTLP_TIMEOUT"


class NotHeard(Exception):
    """What was said did not arrive. It is due again, and told under a further revision."""


class _Spans(SpanProcessor):
    def __init__(self) -> None:
        self.ended: list[ReadableSpan] = []

    def on_end(self, span: ReadableSpan) -> None:
        self.ended.append(span)


class _Events(LogRecordProcessor):
    def __init__(self) -> None:
        self.emitted: list[ReadableLogRecord] = []

    def on_emit(self, log_record: ReadWriteLogRecord) -> None:
        self.emitted.append(
            ReadableLogRecord(
                log_record=log_record.log_record,
                resource=log_record.resource or Resource.get_empty(),
                instrumentation_scope=log_record.instrumentation_scope,
            )
        )

    def shutdown(self) -> None:
        """There is nothing to let go of."""

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return True


class Outgoing:
    """Spans and events of one batch of verdicts; as many as are claimed at once, and no more."""

    def __init__(self, resource: Resource, spans: SpanExporter | None = None, events: LogRecordExporter | None = None):
        timeout = None if _TIMEOUT in os.environ else TIMEOUT_S
        self._span_exporter = spans or OTLPSpanExporter(timeout=timeout)
        self._event_exporter = events or OTLPLogExporter(timeout=timeout)
        self._spans, self._events = _Spans(), _Events()
        self._sending = threading.Lock()
        self.traces = Private(resource, self._spans)
        self.logs = LoggerProvider(resource=resource, shutdown_on_exit=False)
        self.logs.add_log_record_processor(self._events)

    def send(self) -> None:
        """Send what was said, and forget it either way. Raises `NotHeard`: nobody knows how much of it arrived."""
        with self._sending:
            spans, self._spans.ended = self._spans.ended, []
            events, self._events.emitted = self._events.emitted, []
            arrived = True
            if spans:
                arrived = self._span_exporter.export(spans) is SpanExportResult.SUCCESS
            if events and arrived:
                arrived = self._event_exporter.export(events) is LogRecordExportResult.SUCCESS
            if not arrived:
                raise NotHeard("verdicts did not arrive where OTEL_EXPORTER_OTLP_ENDPOINT points; they are told again")

    def close(self) -> None:
        self._span_exporter.shutdown()
        self._event_exporter.shutdown()  # type: ignore[no-untyped-call]
