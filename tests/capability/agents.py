"""Agents whose model plays a fixed list of tool calls, and the spans that they leave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability, Instrumentation
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings

from counterfoil import Config, CounterfoilProcessor

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
        self._exporter = InMemorySpanExporter()
        self._provider = TracerProvider()
        self._provider.add_span_processor(CounterfoilProcessor(config or Config()))
        self._provider.add_span_processor(SimpleSpanProcessor(self._exporter))

    def agent(self, model: FunctionModel, *capabilities: AbstractCapability[Any], **more: Any) -> Agent[Any, Any]:
        instrumentation = Instrumentation(InstrumentationSettings(tracer_provider=self._provider))
        return Agent(model, name="shop", retries=3, capabilities=[*capabilities, instrumentation], **more)

    def tool_spans(self, tool: str) -> list[ReadableSpan]:
        return [span for span in self._exporter.get_finished_spans() if span.name == f"execute_tool {tool}"]

    def said(self, tool: str) -> list[dict[str, Any]]:
        return [dict(span.attributes or {}) for span in self.tool_spans(tool)]

    def verdicts(self, tool: str | None = None) -> dict[str, str]:
        """The last verdict on each operation, of one tool or of all."""
        self._provider.force_flush()
        spans = [span for span in self._exporter.get_finished_spans() if span.name.startswith("verdict")]
        return {
            str(said["counterfoil.operation.id"]): str(said["counterfoil.verdict"])
            for span in spans
            if (said := span.attributes or {}) and tool in (None, said.get("gen_ai.tool.name"))
        }
