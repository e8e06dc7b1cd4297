"""An application that we are attached to: spans of a tool with a request below, and where the verdicts come out."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import SpanKind

from counterfoil import names
from counterfoil.config import Config
from counterfoil.processor import CounterfoilProcessor, attach


class Heard(SpanExporter):
    """Keeps the operation and revision of every verdict, up to a bound; of other spans it keeps nothing."""

    def __init__(self, most: int = 5_000) -> None:
        self.told: list[tuple[object, object]] = []
        self.number = 0
        self._most = most

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        for span in spans:
            said = span.attributes or {}
            if names.VERDICT in said:
                self.number += 1
                if len(self.told) < self._most:
                    self.told.append((said[names.OPERATION_ID], said[names.REVISION]))
        return SpanExportResult.SUCCESS


class Hangs(SpanExporter):
    """An exporter whose backend never answers."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self._never = threading.Event()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.asked.set()
        self._never.wait()
        return SpanExportResult.FAILURE


class Shop:
    """One provider with an exporter beside us. ``fresh`` numbers make every call an operation of its own."""

    fresh = count()

    def __init__(self, exporter: SpanExporter, config: Config | None = None, *, batch: bool = False) -> None:
        self.provider = TracerProvider(resource=Resource({"service.name": "shop"}), shutdown_on_exit=False)
        beside = BatchSpanProcessor(exporter) if batch else SimpleSpanProcessor(exporter)
        self.provider.add_span_processor(beside)
        self.ours: CounterfoilProcessor | None = attach(
            self.provider, config or Config(settle_after_s=0.0, max_operations=2_000)
        )
        self._tracer = self.provider.get_tracer("shop")

    @contextmanager
    def charge(self) -> Iterator[str]:
        """A tool's call with one request that came back well. Answers with the operation's id."""
        operation = f"order-{os.getpid()}-{next(self.fresh)}"
        call = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "charge_card",
            "gen_ai.tool.call.arguments": f'{{"order":"{operation}"}}',
            names.OPERATION_ID: operation,
        }
        with self._tracer.start_as_current_span("execute_tool charge_card", attributes=call) as span:
            sent = {"http.request.method": "POST", "url.full": "https://pay.example/v1/charges"}
            with self._tracer.start_as_current_span("POST", kind=SpanKind.CLIENT, attributes=sent) as request:
                yield operation
                request.set_attribute("http.response.status_code", 201)
            span.set_attribute("gen_ai.tool.call.result", '{"id":"ch_1"}')

    def all_is_read(self, within_s: float = 60.0) -> bool:
        """Wait until nothing that we have seen waits to be read."""
        ends = time.monotonic() + within_s
        while self.ours is not None and self.ours.pipeline.queue:
            if time.monotonic() > ends:
                return False
            time.sleep(0.01)
        return True

    def charges(self, number: int) -> None:
        for _ in range(number):
            with self.charge():
                pass
