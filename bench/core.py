"""What the core costs by itself: folding a fact, judging and telling an operation, and keeping one that is open.

`python -m bench.core [--largest N]`. Four facts for each operation, all of which went well. CPU time, each size in a
process of its own; telling is of a span, metrics and an event, the batch processor's share with it. What an open
operation holds is the growth of resident memory while a book without a bound takes facts in. ``--largest 1000000``
takes minutes and 6 GB.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from bench.ledger_facts import FACTS_PER_OPERATION, operation
from bench.processor import Nowhere
from bench.throughput import resident_mb
from counterfoil.book import Book
from counterfoil.config import Config
from counterfoil.evidence import fold
from counterfoil.facts import Fact
from counterfoil.judge import judge_all
from counterfoil.processor import attach

SIZES = (1_000, 10_000, 100_000, 1_000_000)
AT_ONCE = 500
"""Operations that are told between two flushes, so that no queue is ever full."""

MEASURED = ("fold us/fact", "judge us/op", "tell us/op", "open kB/op")


def measured(size: int) -> dict[str, float]:
    """One size. Memory first, as long as nothing else was ever held."""
    config = Config(max_operations=size, settle_after_s=0.0)
    before = resident_mb()
    book = Book(config)
    for number in range(size):
        book.add(operation(number))
    gc.collect()
    held = resident_mb() - before
    tellings = book.due()
    assert len(tellings) == size

    provider = TracerProvider(resource=Resource.get_empty(), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(Nowhere()))
    ours = attach(provider, config)
    assert ours is not None

    def tell() -> None:
        for start in range(0, size, AT_ONCE):
            ours.teller.tell(tellings[start : start + AT_ONCE])
            provider.force_flush()

    told = cpu_us(tell)
    del book
    tellings.clear()
    facts: list[Fact] = [fact for number in range(size) for fact in operation(number)]
    folded = fold(())

    def fold_all() -> None:
        nonlocal folded
        folded = fold(facts)

    folding = cpu_us(fold_all)
    judging = cpu_us(lambda: judge_all(folded))
    costs = (folding / size / FACTS_PER_OPERATION, judging / size, told / size, 1_000 * held / size)
    return dict(zip(MEASURED, costs, strict=True))


def cpu_us(work: Callable[[], object]) -> float:
    """CPU microseconds of this process, with all its threads."""
    gc.collect()
    began = time.process_time_ns()
    work()
    return (time.process_time_ns() - began) / 1_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=100_000)
    parser.add_argument("--only", type=int, help="only this size, as JSON")
    asked = parser.parse_args()
    if asked.only is not None:
        print(json.dumps(measured(asked.only)))
        return
    machine = f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}"
    print(f"{machine}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}; {FACTS_PER_OPERATION} facts an operation")
    print(f"{'operations':>10} " + " ".join(f"{name:>13}" for name in MEASURED))
    found: list[dict[str, float]] = []
    sizes = [size for size in SIZES if size <= asked.largest]
    for size in sizes:
        command = [sys.executable, "-m", "bench.core", "--only", str(size)]
        found.append(json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout))
        print(f"{size:>10,} " + " ".join(f"{found[-1][name]:>13.2f}" for name in MEASURED), flush=True)
    at, last = int(len(sizes) > 2), len(sizes) - 1  # of a thousand, starting up is a part
    for name in MEASURED:
        print(f"{name} at {sizes[last]:,} to that at {sizes[at]:,}: {found[last][name] / found[at][name]:.2f}")


if __name__ == "__main__":
    main()
