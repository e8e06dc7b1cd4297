"""Agents whose model plays a fixed list of tool calls, and the spans that they leave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability, Instrumentation
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings

from counterfoil import Config, CounterfoilProcessor
from counterfoil.names import CONSULT_EVENT

Turn = Sequence[ToolCallPart]


def calls(*turns: Turn) -> FunctionModel:
    """A model that makes these calls, one list after the other, and is done."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        made = sum(isinstance(message, ModelResponse) for message in messages)
        return ModelResponse(parts=list(turns[made]) if made < len(turns) else [TextPart("done")])

    return FunctionModel(answer)


def call(tool: str, call_id: str | None = None, **args: Any) -> ToolCallPart:
    return ToolCallPart(tool, args, **({"tool_call_id": call_id} if call_id else {}))


class Watched:
    """A pipeline of its own: the agent's spans, and the verdicts on them."""

    def __init__(self, config: Config | None = None) -> None:
        self._exporter, self._logs = InMemorySpanExporter(), InMemoryLogRecordExporter()
        self._metrics, logs = InMemoryMetricReader(), LoggerProvider()
        logs.add_log_record_processor(SimpleLogRecordProcessor(self._logs))
        meters = MeterProvider([self._metrics])
        processor = CounterfoilProcessor(config or Config(), logger_provider=logs, meter_provider=meters)
        self._provider = TracerProvider()
        self._provider.add_span_processor(processor)
        self._provider.add_span_processor(SimpleSpanProcessor(self._exporter))

    def agent(
        self, model: FunctionModel, *capabilities: AbstractCapability[Any], include_content: bool = True, **more: Any
    ) -> Agent[Any, Any]:
        instrumentation = Instrumentation(self.instrumentation(include_content=include_content))
        return Agent(model, name="shop", retries=3, capabilities=[*capabilities, instrumentation], **more)

    def instrumentation(self, *, include_content: bool = True) -> InstrumentationSettings:
        return InstrumentationSettings(tracer_provider=self._provider, include_content=include_content)

    def consults(self) -> list[dict[str, Any]]:
        """What is said of each consultation, as an event."""
        self._provider.force_flush()
        records = [one.log_record for one in self._logs.get_finished_logs()]
        return [dict(one.attributes or {}) for one in records if one.event_name == CONSULT_EVENT]

    def counted(self, metric: str) -> dict[tuple[str, ...], int]:
        """A counter's values that aren't 0, by the values of its attributes in the order of their names."""
        self._provider.force_flush()
        data: Any = self._metrics.get_metrics_data()
        found = [one for rm in data.resource_metrics for sm in rm.scope_metrics for one in sm.metrics] if data else []
        points = [point for one in found if one.name == metric for point in one.data.data_points]
        return {tuple(v for _, v in sorted(p.attributes.items())): p.value for p in points if p.value}

    def findings(self, operation_id: str) -> tuple[str, ...]:
        """The findings that the last verdict on an operation says."""
        self._provider.force_flush()
        spans = [dict(span.attributes or {}) for span in self._exporter.get_finished_spans()]
        said: list[Any] = [one for one in spans if "counterfoil.verdict" in one]
        return tuple(
            [one for one in said if one["counterfoil.operation.id"] == operation_id][-1]["counterfoil.findings"]
        )

    def tool_spans(self, tool: str, *more: str) -> list[ReadableSpan]:
        """The spans of a tool's calls, and those of these names."""
        names = (f"execute_tool {tool}", *more)
        return [span for span in self._exporter.get_finished_spans() if span.name in names]

    def said(self, tool: str, *more: str) -> list[dict[str, Any]]:
        return [dict(span.attributes or {}) for span in self.tool_spans(tool, *more)]

    def verdicts(self, tool: str | None = None) -> dict[str, str]:
        """The last verdict on each operation, of one tool or of all."""
        self._provider.force_flush()
        spans = [span for span in self._exporter.get_finished_spans() if span.name.startswith("verdict")]
        return {
            str(said["counterfoil.operation.id"]): str(said["counterfoil.verdict"])
            for span in spans
            if (said := span.attributes or {}) and tool in (None, said.get("gen_ai.tool.name"))
        }
