"""What it costs to see every span of an application whose traces are sampled at 1 %: python -m bench.sampling

Each span that the sampler drops is then recorded, and not exported. Many short rounds on the thread that makes the
spans, as in `bench.processor`, by every line-up in a changing order. The first is what the application has today: a
head sampler at 1 %, and the batch processor. A ratio is the median of the rounds' cost to that of another line-up.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, ParentBased, Sampler, TraceIdRatioBased

from bench.processor import LineUp, Nowhere, Work, tool_calls, unrelated
from counterfoil.config import Config
from counterfoil.processor import attach

KEPT = 0.01


def line_ups() -> list[LineUp]:
    def provider(name: str, sampler: Sampler, *, ours: bool = False, record_all: bool = False) -> LineUp:
        made = TracerProvider(sampler, Resource.get_empty(), shutdown_on_exit=False)
        made.add_span_processor(BatchSpanProcessor(Nowhere()))
        config = Config(emit=frozenset({"spans"}), settle_after_s=0.0, record_all=record_all)
        return LineUp(name, made, attach(made, config) if ours else None)

    return [
        provider("1 % sampled", ParentBased(TraceIdRatioBased(KEPT))),
        provider("1 % and ours", ParentBased(TraceIdRatioBased(KEPT)), ours=True),
        provider("1 %, ours, all recorded", ParentBased(TraceIdRatioBased(KEPT)), ours=True, record_all=True),
        provider("100 % and ours", ALWAYS_ON, ours=True),
    ]


def measured(work: Work, rounds: int, times: int) -> list[LineUp]:
    lines = line_ups()
    for number in range(rounds + 1):
        for line in (*lines[number % len(lines) :], *lines[: number % len(lines)]):
            line.round(work, times)
    for line in lines:
        line.thread.pop(0)  # the first one warms up
        line.provider.force_flush()
    return lines


def ratio(one: LineUp, other: LineUp) -> float:
    return statistics.median(a / b for a, b in zip(one.thread, other.thread, strict=True))


def told(name: str, lines: list[LineUp]) -> None:
    print(f"\n{name}: microseconds each on the calling thread")
    for line in lines:
        print(f"  {line.name:24} {statistics.median(line.thread) / 1e3:8.2f}")
    today, _, recorded, whole = lines
    print(f"  all recorded to sampled: {ratio(recorded, today):.2f}")
    print(f"  all recorded to all sampled and exported: {ratio(recorded, whole):.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--spans", type=int, default=120)
    asked = parser.parse_args()
    python = f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}"
    print(f"{python}, {os.cpu_count()} CPUs,")
    print(f"load {os.getloadavg()[0]:.1f}; {asked.rounds} rounds of {asked.spans}; {KEPT:.0%} of traces kept")
    told("unrelated span", measured(unrelated, asked.rounds, asked.spans))
    told("tool span with two requests", measured(tool_calls, asked.rounds, asked.spans // 3))


if __name__ == "__main__":
    main()
