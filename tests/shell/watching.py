"""A real pipeline of spans, metrics and logs in memory, with the processor attached, and what it said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from opentelemetry.sdk._logs import LoggerProvider, ReadableLogRecord
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, Span, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import Sampler
from opentelemetry.trace import SpanKind, Status, StatusCode

from counterfoil import instruments, names
from counterfoil.config import Config
from counterfoil.processor import CounterfoilProcessor

Attributes = Mapping[str, Any]
SECOND = 1_000_000_000


class Watching:
    """An application's pipeline, in which requests show their keys. ``now`` is the book's clock; nothing settles by
    itself."""

    def __init__(self, config: Config | None = None, *, sampler: Sampler | None = None, first: bool = True) -> None:
        self.now = 0
        self.exporter, self.logs, self.reader = (
            InMemorySpanExporter(),
            InMemoryLogRecordExporter(),
            InMemoryMetricReader(),
        )
        self.provider = TracerProvider(sampler, Resource({"service.name": "shop"}), shutdown_on_exit=False)
        self.meter_provider = MeterProvider([self.reader], shutdown_on_exit=False)
        self.logger_provider = LoggerProvider(shutdown_on_exit=False)
        self.logger_provider.add_log_record_processor(SimpleLogRecordProcessor(self.logs))
        self.processor = CounterfoilProcessor(
            replace(config or Config(), captured_headers=("idempotency-key",)),
            meter_provider=self.meter_provider,
            logger_provider=self.logger_provider,
            clock=lambda: self.now,
        )
        self.processor.pipeline.stop()  # the tests say when it works
        simple = SimpleSpanProcessor(self.exporter)
        for processor in (self.processor, simple) if first else (simple, self.processor):
            self.provider.add_span_processor(processor)

    # ---------------------------------------------------------------- what happens

    @contextmanager
    def span(
        self, name: str, attributes: Attributes | None = None, kind: SpanKind = SpanKind.INTERNAL, scope: str = "app"
    ) -> Iterator[Span]:
        tracer = self.provider.get_tracer(scope)
        with tracer.start_as_current_span(name, attributes=attributes, kind=kind) as span:
            yield span  # type: ignore[misc]

    @contextmanager
    def tool(self, tool: str = "charge_card", operation: str | None = "order-1", **more: Any) -> Iterator[Span]:
        said = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.call.id": "call-1",
            "gen_ai.tool.call.arguments": '{"amount":5}',
            "gen_ai.agent.name": "clerk",
            "gen_ai.conversation.id": "conversation-1",
            **({names.OPERATION_ID: operation} if operation else {}),
            **more,
        }
        with self.span(f"execute_tool {tool}", said, scope="pydantic-ai") as span:
            yield span
            span.set_attribute("gen_ai.tool.call.result", "done")

    def request(self, status: int | None = 201, key: str | None = None, path: str = "/v1/charges") -> None:
        said: dict[str, Any] = {"http.request.method": "POST", "url.full": f"https://pay.example{path}"}
        if key is not None:
            said["http.request.header.idempotency_key"] = [key]
        with self.span("POST", said, SpanKind.CLIENT, "opentelemetry.instrumentation.httpx") as span:
            if status is None:
                span.set_status(Status(StatusCode.ERROR, "ReadTimeout: timed out"))
            else:
                span.set_attribute("http.response.status_code", status)

    def looks(self, operation: str = "order-1", *refs: str, count: int | None = None) -> None:
        """Somebody asks the provider what it holds."""
        about = {names.OPERATION_ID: operation, names.EFFECT_SOURCE: "probe", names.EFFECT_AUTHORITATIVE: True}
        if count is not None:
            about[names.EFFECT_COUNT] = count
        if refs:
            about[names.EFFECT_REF] = refs
        with self.span("look", about):
            pass

    def after(self, seconds: float) -> None:
        """Time passes, and the thread gets its turn."""
        self.processor.pipeline.tick()
        self.now += int(seconds * SECOND)
        self.processor.pipeline.tick()

    # ----------------------------------------------------------------- what was said

    def verdicts(self, operation: str | None = None) -> list[ReadableSpan]:
        """The verdict spans so far."""
        found = [span for span in self.exporter.get_finished_spans() if is_verdict(span)]
        return [span for span in found if operation in (None, (span.attributes or {}).get(names.OPERATION_ID))]

    def said(self, name: str = names.VERDICT) -> list[Any]:
        """What the verdict spans say so far, under one name."""
        return [(span.attributes or {}).get(name) for span in self.verdicts()]

    def events(self) -> list[ReadableLogRecord]:
        return list(self.logs.get_finished_logs())

    def points(self, metric: str) -> dict[tuple[tuple[str, Any], ...], Any]:
        """The data points of a metric by their attributes, sorted."""
        data = self.reader.get_metrics_data()
        return {
            tuple(sorted((point.attributes or {}).items())): point
            for resource in (data.resource_metrics if data is not None else ())
            for scope in resource.scope_metrics
            for each in scope.metrics
            if each.name == metric
            for point in each.data.data_points
        }

    def value(self, metric: str, **attributes: str) -> Any:
        """The value of one series; 0 where there is none."""
        wanted = tuple(sorted((getattr(names, name.upper()), value) for name, value in attributes.items()))
        point = self.points(metric).get(wanted)
        return 0 if point is None else point.value

    def troubles(self) -> dict[tuple[tuple[str, Any], ...], Any]:
        """Errors of our own that were kept from the application."""
        return self.points(instruments.ERRORS_TOTAL.name)


def is_verdict(span: ReadableSpan) -> bool:
    scope = span.instrumentation_scope
    return scope is not None and scope.name == names.SCOPE
