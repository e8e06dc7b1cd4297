"""How long it takes from a second effect to the person who is paged: `python -m bench.alert [--runs N]`.

Everything is real and on this machine: an agent's process with an ordinary pipeline, the collector, Prometheus with the
project's rules, Alertmanager, and a webhook that a pager would have. Each run is a new process of another service, so
that its alert is a new one. The clock begins when the second receipt is in the agent's hands, and ends when the webhook
has the alert. Most of it is waiting: for an operation to settle, for the next export of metrics, for the next
evaluation of rules.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.real.webhook import Webhook, webhook
from tools.observe.build import PRODUCTS, built
from tools.observe.stack import Stack, project_rules, running

ALERT = "CounterfoilSevereVerdictSeen"


@dataclass(frozen=True, slots=True)
class Waits:
    """What is waited for on the way, in seconds; Alertmanager groups and waits for nothing."""

    settle: int
    export: int
    evaluation: int

    def __str__(self) -> str:
        return f"settles {self.settle} s, export of metrics {self.export} s, evaluation of rules {self.evaluation} s"


SET_UPS = (Waits(0, 1, 1), Waits(1, 1, 1), Waits(5, 5, 5))
"""The first shows what the way itself costs; the last has our default for settling, and intervals that people have."""


def agent() -> None:
    """A process in which one operation takes effect twice. It says when, and goes on until its standard input ends."""
    from opentelemetry import metrics, trace
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    import counterfoil

    metrics.set_meter_provider(MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter())]))
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)  # Counterfoil attaches by environment
    with counterfoil.operation("order-1", tool="charge_card") as operation:
        operation.receipt("ch_1")
        operation.receipt("ch_2")
        print(time.time(), flush=True)
    sys.stdin.read()


def seconds(service: str, waits: Waits, stack: Stack, pager: Webhook) -> float:
    """One run."""
    environment = os.environ | {
        "COUNTERFOIL_ENABLED": "true",
        "COUNTERFOIL_SETTLE_AFTER": f"{waits.settle}s",
        "OTEL_EXPORTER_OTLP_ENDPOINT": stack.otlp,
        "OTEL_METRIC_EXPORT_INTERVAL": str(1_000 * waits.export),
        "OTEL_SERVICE_NAME": service,
    }
    command = [sys.executable, "-m", "bench.alert", "--agent"]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        began = float(process.stdout.readline())
        labels = {"alertname": ALERT, "counterfoil_verdict": "duplicate_effect", "job": service}
        pager.wait(lambda alert: labels.items() <= alert["labels"].items(), f"{service} charged twice")
        return time.time() - began


def main(runs: int) -> None:
    missing = [product for product in PRODUCTS if built(product) is None]
    if missing:
        print(f"left out: {', '.join(missing)} is not built; `python -m tools.observe.build` builds it, with Go")
        return
    machine = f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}"
    print(
        f"{machine}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}; from the second effect to the pager, seconds"
    )
    for number, waits in enumerate(SET_UPS):
        with tempfile.TemporaryDirectory() as folder, webhook() as pager:
            every = f"{waits.evaluation}s"
            with running(Path(folder), rules=project_rules(), webhook=pager.url, evaluation_interval=every) as stack:
                taken = sorted(seconds(f"shop-{number}-{run}", waits, stack, pager) for run in range(runs))
        print(f"{waits}: p50 {median(taken):.1f}, from {taken[0]:.1f} to {taken[-1]:.1f} in {runs} runs", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--agent"]:
        agent()
    else:
        parser = argparse.ArgumentParser(description=__doc__)
        parser.add_argument("--runs", type=int, default=7)
        main(parser.parse_args().runs)
