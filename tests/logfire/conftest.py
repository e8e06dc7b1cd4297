"""Logfire as an application configures it, with what would leave the process caught."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import logfire
import pytest
from logfire.testing import TestExporter
from opentelemetry import trace
from opentelemetry.sdk._logs import LogRecordProcessor
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.trace import SpanProcessor
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from counterfoil import CounterfoilProcessor, attach
from counterfoil.config import Config

AT_ONCE = Config(settle_after_s=0, deadline_s=0)


@dataclass
class Shop:
    """An application whose tracing is Logfire's."""

    exporter: TestExporter = field(default_factory=TestExporter)
    logs: InMemoryLogRecordExporter = field(default_factory=InMemoryLogRecordExporter)

    def configure(self, *inside: SpanProcessor, **options: Any) -> None:
        """``inside``: processors that the application hands to Logfire."""
        logging: LogRecordProcessor = SimpleLogRecordProcessor(self.logs)
        logfire.configure(
            send_to_logfire=False,
            console=False,
            metrics=False,
            additional_span_processors=[*inside, SimpleSpanProcessor(self.exporter)],
            advanced=logfire.AdvancedOptions(log_record_processors=[logging]),
            **options,
        )

    def attach(self, config: Config = AT_ONCE) -> CounterfoilProcessor:
        return attach(trace.get_tracer_provider(), config)

    def charge(self, *refs: str, operation: str = "order-1", tool: str = "charge", arguments: str = '{"a":1}') -> None:
        """One call of a tool whose provider names what it made."""
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.call.id": "call-1",
            "gen_ai.tool.call.arguments": arguments,
            "counterfoil.operation.id": operation,
        }
        with trace.get_tracer("shop").start_as_current_span(f"execute_tool {tool}", attributes=attributes) as span:
            span.set_attribute("gen_ai.tool.call.result", '{"id":"ch"}')
            span.set_attribute("counterfoil.effect.ref", refs)
            span.set_attribute("counterfoil.effect.authoritative", True)

    def spans(self) -> list[dict[str, Any]]:
        return self.exporter.exported_spans_as_dict(fixed_line_number=None, strip_filepaths=False)

    def names(self) -> list[str]:
        return [span["name"] for span in self.spans()]

    def verdicts(self) -> list[dict[str, Any]]:
        """What the verdict spans say, as they arrived."""
        return [span["attributes"] for span in self.spans() if span["name"].startswith("verdict ")]

    def events(self) -> list[dict[str, Any]]:
        records = (each.log_record for each in self.logs.get_finished_logs())
        return [dict(one.attributes or {}) for one in records if one.event_name == "counterfoil.verdict"]


@pytest.fixture
def shop() -> Iterator[Shop]:
    yield Shop()
    logfire.shutdown()
