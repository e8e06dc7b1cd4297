"""`counterfoil reconcile`: a worker that judges what is due in a ledger and tells it by OTLP."""

from __future__ import annotations

import os
import signal
import threading
from typing import Annotated

import typer
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from counterfoil import names
from counterfoil.book.durable import DurableBook
from counterfoil.cli.ledgers import LedgerOption, opened
from counterfoil.config import Config
from counterfoil.probing.prober import Prober
from counterfoil.probing.resolving import problems as unusable
from counterfoil.telling.meters import meters_of
from counterfoil.telling.spans import Private, version
from counterfoil.telling.teller import Teller, Troubles, log

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT")
EVERY_S = 1.0
"""How often the worker looks for what is due, in seconds."""

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def reconcile(
    ledger: LedgerOption = None,
    once: Annotated[bool, typer.Option("--once", help="One pass over all that is due, then stop.")] = False,
) -> None:
    """Judge what is due in a ledger, ask the targets of what is in doubt, and tell it by OTLP, until stopped.

    Any number of workers and agents share a ledger: each operation is told by one of them. Where the telemetry goes is
    OpenTelemetry's to say (OTEL_EXPORTER_OTLP_ENDPOINT and its kin). Exit codes: 0 done; 2 usage; 3 the ledger can't
    be used.
    """
    config, problems = Config.load()
    for problem in (*problems, *unusable(config)):
        log.warning("%s", problem)
    stop = threading.Event()
    for wanted in (signal.SIGTERM, signal.SIGINT):
        signal.signal(wanted, lambda *_: stop.set())
    told = 0
    with opened(ledger) as shared:
        traces, meters, logs = _telemetry()
        instruments = meters_of(meters)
        troubles = Troubles(instruments)
        teller = Teller(config, traces, instruments, logs.get_logger(names.SCOPE, version()), troubles)

        def tell(tellings: list) -> None:  # type: ignore[type-arg]
            nonlocal told
            told += len(tellings)
            teller.tell(tellings)

        shared.told([])  # a ledger that can't be used is said now, not by silence
        prober = Prober(config, shared, lambda fault: _say(troubles, fault))
        book = DurableBook(config, shared, tell, lambda fault: _say(troubles, fault), looked_at=prober.waits_for_look)
        instruments.watch(book)
        while True:
            book.due()
            if once:
                prober.finish()
                book.due()
            else:
                prober.tick()
            book.take_over()
            instruments.judged()
            if once or stop.wait(EVERY_S):
                break
        prober.stop()
    for provider in (traces, meters, logs):
        provider.shutdown()
    asked = f"{prober.made.total():,} looks, {prober.made['unknown']:,} of them said nothing; " if prober.made else ""
    print(f"{asked}{told:,} verdict{'' if told == 1 else 's'} told; {book.incidents.total():,} incidents open")


def _say(troubles: Troubles, fault: Exception) -> None:
    troubles.had("ledger", fault)
    log.warning("%s", fault)


def _telemetry() -> tuple[Private, MeterProvider, LoggerProvider]:
    """The three ways out, by OTLP over HTTP. What is taken down as told must have somebody who hears it."""
    if not any(name in os.environ for name in ENDPOINTS):
        raise typer.BadParameter(f"nobody would hear the verdicts; set {ENDPOINTS[0]}", param_hint="environment")
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    resource = Resource.create({"service.name": "counterfoil-reconcile"})
    traces = Private(resource, BatchSpanProcessor(OTLPSpanExporter()))
    reader: MetricReader = PeriodicExportingMetricReader(OTLPMetricExporter())
    meters = MeterProvider([reader], resource=resource)
    logs = LoggerProvider(resource=resource)
    logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
    return traces, meters, logs
