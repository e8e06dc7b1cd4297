"""`counterfoil reconcile`: a worker that judges what is due in a ledger and tells it by OTLP."""

from __future__ import annotations

import os
import signal
import threading
from typing import Annotated

import typer
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource

from counterfoil.cli.ledgers import LedgerOption, opened
from counterfoil.config import Config
from counterfoil.probing.resolving import problems as unusable
from counterfoil.serving.outgoing import Outgoing
from counterfoil.serving.reconciling import Reconciling
from counterfoil.telling.teller import log

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT")

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def reconcile(
    ledger: LedgerOption = None,
    once: Annotated[bool, typer.Option("--once", help="One pass over all that is due, then stop.")] = False,
) -> None:
    """Judge what is due in a ledger, ask the targets of what is in doubt, and tell it by OTLP, until stopped.

    Any number of workers and agents share a ledger: each operation is told by one of them. Where the telemetry goes is
    OpenTelemetry's to say (OTEL_EXPORTER_OTLP_ENDPOINT and its kin). A verdict that doesn't arrive there isn't told
    and comes again. Exit codes: 0 done; 1 verdicts of the last pass did not arrive; 2 usage; 3 the ledger can't be
    used.
    """
    config, problems = Config.load()
    for problem in (*problems, *unusable(config)):
        log.warning("%s", problem)
    stop = threading.Event()
    for wanted in (signal.SIGTERM, signal.SIGINT):
        signal.signal(wanted, lambda *_: stop.set())
    with opened(ledger) as shared:
        outgoing, meters = _telemetry()
        worker = Reconciling(config, shared, outgoing, meters)
        if once:
            worker.once()
        else:
            worker.tick()
            while not stop.wait(worker.pause_s):
                worker.tick()
        worker.prober.stop()
    meters.shutdown()
    outgoing.close()
    looks = worker.prober.made
    asked = f"{looks.total():,} looks, {looks['unknown']:,} of them said nothing; " if looks else ""
    told = f"{worker.told:,} verdict{'' if worker.told == 1 else 's'} told"
    print(f"{asked}{told}; {worker.book.incidents.total():,} incidents open")
    if worker.unheard:
        raise typer.Exit(1)


def _telemetry() -> tuple[Outgoing, MeterProvider]:
    """The ways out, by OTLP over HTTP. What is taken down as told must have been heard by somebody."""
    if not any(name in os.environ for name in ENDPOINTS):
        raise typer.BadParameter(f"nobody would hear the verdicts; set {ENDPOINTS[0]}", param_hint="environment")
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter

    resource = Resource.create({"service.name": "counterfoil-reconcile"})
    reader: MetricReader = PeriodicExportingMetricReader(OTLPMetricExporter())
    return Outgoing(resource), MeterProvider([reader], resource=resource)
