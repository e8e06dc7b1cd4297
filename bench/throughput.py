"""What one process bears: operations offered at a steady pace, and a great many of them through a bounded book.

An operation is a tool's span with two requests below it, of which the first failed: seven facts, one verdict span.
Every line is a process of its own, with the agent's spans, the batch processor, and our reading, judging and telling in
it, which share one interpreter lock. ``late`` is how far the making of spans fell behind its timetable: past what the
process bears, the application itself is slower than offered. What finds no room in the queue is counted as dropped.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from bench.processor import Nowhere, tool_calls
from counterfoil.config import Config
from counterfoil.processor import attach

PACES = (250, 500, 1_000, 2_000, 4_000)
"""Operations offered each second."""

AT_ONCE = 20
"""Operations that are made between two looks at the clock."""

KEPT = 5_000
"""The bound on operations where memory is measured; the default is larger, and only moves where the line goes flat."""


def offered(pace: int, seconds: float) -> dict[str, float]:
    """Operations at a pace, or as fast as they can be made where it is 0."""
    provider = TracerProvider(resource=Resource.get_empty(), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(Nowhere()))
    ours = attach(provider, Config(settle_after_s=0.5))
    tracer = provider.get_tracer("bench")
    began, made, late = time.monotonic(), 0, 0.0
    while (now := time.monotonic()) - began < seconds:
        due = began + made / pace
        if now < due:
            time.sleep(due - now)
        late = max(late, time.monotonic() - due)
        tool_calls(tracer, AT_ONCE)
        made += AT_ONCE
    took = time.monotonic() - began
    provider.force_flush()
    dropped = ours.pipeline.dropped if ours is not None else 0
    return {"made": made / took, "dropped": dropped, "late": late, "cpu": time.process_time() / made * 1e6}


def through(operations: int, marks: int = 5) -> dict[str, float]:
    """Resident megabytes after each part of many operations, all told before the next part begins."""
    provider = TracerProvider(resource=Resource.get_empty(), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(Nowhere()))
    attach(provider, Config(settle_after_s=0.0, max_operations=KEPT))
    tracer, sizes = provider.get_tracer("bench"), {}
    for mark in range(1, marks + 1):
        for _ in range(operations // marks // 1_000):
            tool_calls(tracer, 1_000)
            provider.force_flush()
        sizes[f"{mark * operations // marks:,}"] = resident_mb()
    return sizes


def resident_mb() -> float:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def _in_child(*words: object) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.throughput", *map(str, words)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(done.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=6.0, help="how long each pace is kept")
    parser.add_argument("--operations", type=int, default=50_000, help="how many go through one process")
    parser.add_argument("--pace", type=int, help="only this pace, as JSON")
    parser.add_argument("--through", type=int, help="only so many operations, as JSON")
    asked = parser.parse_args()
    if asked.pace is not None:
        print(json.dumps(offered(asked.pace, asked.seconds)))
        return
    if asked.through is not None:
        print(json.dumps(through(asked.through)))
        return
    machine = f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}"
    print(f"{machine}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}; {asked.seconds:.0f} s each")
    print(f"{'offered/s':>10} {'made/s':>8} {'late s':>8} {'dropped':>8} {'CPU us each':>12}")
    for pace in PACES:
        one = _in_child("--pace", pace, "--seconds", asked.seconds)
        numbers = f"{one['made']:>8,.0f} {one['late']:>8.2f} {one['dropped']:>8,.0f} {one['cpu']:>12,.0f}"
        print(f"{pace:>10,} {numbers}", flush=True)
    print(f"\n{asked.operations:,} operations through one process that keeps {KEPT:,}: resident MB after")
    for name, size in _in_child("--through", asked.operations).items():
        print(f"{name:>12} {size:>8.1f}")


if __name__ == "__main__":
    main()
