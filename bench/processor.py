"""What watching costs an application: CPU added to each span, beside what the SDK's own batch processor adds.

On the thread that makes the spans, which is what a request waits for: many short rounds, in which every line-up of
processors does the same work in an order that changes from round to round, so that a busy machine slows all of them
alike. What is added is the median, over the rounds, of the difference to another line-up in the same round. The batch
processor has its default settings, and its thread exports to nowhere meanwhile, as it would; ours reads and judges.

Of the whole process, which also pays for reading, folding, judging and telling on a thread of ours: a longer piece of
work for each line-up, until all is told, the best of some.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count, islice

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import SpanKind, Tracer

from counterfoil import names
from counterfoil.config import Config
from counterfoil.processor import CounterfoilProcessor, attach

AIMS = {"unrelated span": 0.3, "tool span with two requests": 1.0}
"""What is aimed at: the processor's added cost on the calling thread, as a share of the batch processor's."""


Work = Callable[[Tracer, int], None]
WHOLE = 3
"""So often the longer piece of work is done."""


class Nowhere(SpanExporter):
    """Takes spans and lets them go."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return SpanExportResult.SUCCESS


fresh = count()
"""No two calls are one operation: an operation with a thousand attempts is another measurement."""


def unrelated(tracer: Tracer, times: int) -> None:
    for number in range(times):
        with tracer.start_as_current_span(
            "SELECT shop.orders",
            kind=SpanKind.CLIENT,
            attributes={
                "db.system.name": "postgresql",
                "db.namespace": "shop",
                "db.operation.name": "SELECT",
                "db.collection.name": "orders",
                "db.query.text": "SELECT * FROM orders WHERE id = $1",
                "server.address": "db.example",
                "server.port": 5432,
                "app.order": number,
                "app.customer": "c-17",
                "app.region": "eu",
            },
        ):
            pass


def tool_calls(tracer: Tracer, times: int) -> None:
    for number in islice(fresh, times):
        with tracer.start_as_current_span(
            "execute_tool charge_card",
            attributes={
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "charge_card",
                "gen_ai.tool.call.id": f"call-{number}",
                "gen_ai.tool.call.arguments": f'{{"amount":4900,"order":"order-{number}"}}',
                "gen_ai.agent.name": "clerk",
                "gen_ai.agent.call.id": "run-1",
                "gen_ai.conversation.id": "conversation-1",
                "logfire.msg": "running tool: charge_card",
            },
        ) as call:
            for status in (503, 201):
                with tracer.start_as_current_span(
                    "POST",
                    kind=SpanKind.CLIENT,
                    attributes={
                        "http.request.method": "POST",
                        "url.full": "https://pay.example/v1/charges",
                        "server.address": "pay.example",
                        "http.request.header.idempotency_key": [f"order-{number}"],
                    },
                ) as request:
                    request.set_attribute("http.response.status_code", status)
            call.set_attribute("gen_ai.tool.call.result", '{"id":"ch_1"}')


@dataclass
class LineUp:
    """A provider with some processors, and what each round of work cost with it, in nanoseconds."""

    name: str
    provider: TracerProvider
    ours: CounterfoilProcessor | None = None
    thread: list[float] = field(default_factory=list)
    process: list[float] = field(default_factory=list)

    def round(self, work: Work, times: int) -> None:
        tracer = self.provider.get_tracer("bench")
        began = time.thread_time_ns()
        work(tracer, times)
        self.thread.append((time.thread_time_ns() - began) / times)

    def whole(self, work: Work, times: int) -> None:
        tracer = self.provider.get_tracer("bench")
        gc.collect()
        began = time.process_time_ns()
        work(tracer, times)
        self.provider.force_flush()
        self.process.append((time.process_time_ns() - began) / times)


def line_ups() -> list[LineUp]:
    config = Config(emit=frozenset({"spans"}), settle_after_s=0.0)

    def provider(*processors: str) -> LineUp:
        made = TracerProvider(resource=Resource.get_empty(), shutdown_on_exit=False)
        if "batch" in processors:
            made.add_span_processor(BatchSpanProcessor(Nowhere()))
        ours = attach(made, config) if "ours" in processors else None
        return LineUp(" + ".join(processors) or "none", made, ours)

    return [provider(), provider("batch"), provider("ours"), provider("batch", "ours")]


def added(by: LineUp, to: LineUp) -> float:
    """What one line-up costs more than another on the calling thread, the median of the rounds."""
    return statistics.median(more - less for more, less in zip(by.thread, to.thread, strict=True))


def measured(work: Work, rounds: int, times: int) -> list[LineUp]:
    lines = line_ups()
    for number in range(rounds + 1):
        for line in (*lines[number % 4 :], *lines[: number % 4]):
            line.round(work, times)
    for line in lines:
        line.thread.pop(0)  # the first one warms up
        line.provider.force_flush()
    for _ in range(WHOLE):
        for line in lines:
            line.whole(work, 10 * times)
    return lines


def told(name: str, lines: list[LineUp]) -> None:
    none, batch, ours, both = lines
    print(f"\n{name}: microseconds each")
    for line in lines:
        dropped = f", {line.ours.pipeline.dropped} dropped" if line.ours is not None else ""
        thread, process = statistics.median(line.thread) / 1e3, min(line.process) / 1e3
        print(f"  {line.name:14} calling thread {thread:7.2f}   whole process {process:7.2f}{dropped}")
    unit = added(batch, none)
    print(f"  the batch processor adds {unit / 1e3:.2f} on the calling thread; ours, as a share of that:")
    alone, beside = added(ours, none) / unit, added(both, batch) / unit
    print(f"  {alone:.2f} alone, {beside:.2f} beside it; the aim is {AIMS[name]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--spans", type=int, default=120)
    asked = parser.parse_args()
    print(
        f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}, {os.cpu_count()} CPUs,"
    )
    print(f"load {os.getloadavg()[0]:.1f}; {asked.rounds} rounds of {asked.spans}; scope {names.SCOPE}")
    told("unrelated span", measured(unrelated, asked.rounds, asked.spans))
    told("tool span with two requests", measured(tool_calls, asked.rounds, asked.spans // 3))


if __name__ == "__main__":
    main()
