"""`counterfoil judge`: a worker that takes facts in by OTLP, judges what is due in a ledger, and tells it by OTLP."""

from __future__ import annotations

import gc
import os
import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterfoil.cli.ledgers import LedgerOption, opened
from counterfoil.config import Config

if TYPE_CHECKING:
    from counterfoil.serving.doors import Certificate
    from counterfoil.serving.taking import Tokens

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT")
SHORTEST_TOKEN = 16

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def judge(  # noqa: PLR0917 -- each is an option by name
    ledger: LedgerOption = None,
    http: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where OTLP/HTTP is taken; off: nowhere.")] = (
        "127.0.0.1:4318"
    ),
    grpc: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where OTLP/gRPC is taken; off: nowhere.")] = (
        "127.0.0.1:4317"
    ),
    tls_cert: Annotated[Path | None, typer.Option(help="Certificate chain (PEM) for both doors.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Its private key (PEM).")] = None,
    token_file: Annotated[
        Path | None, typer.Option(help="File of bearer tokens, one a line; any of them opens, so that one can change.")
    ] = None,
    token_env: Annotated[
        str | None, typer.Option(metavar="NAME", help="Environment variable that holds a bearer token.")
    ] = None,
    max_body: Annotated[int, typer.Option(min=1, help="MiB that one request may be, also when unpacked.")] = 16,
    rate: Annotated[float, typer.Option(min=0, help="Facts a second; 0: as many as come.")] = 0,
    waiting: Annotated[int, typer.Option(min=1, help="Requests that are worked on at once.")] = 16,
) -> None:
    """Take facts in by OTLP, judge what is due in a ledger, and tell it by OTLP, until stopped.

    Senders set COUNTERFOIL_EMIT=facts. Any number of these workers share one ledger in PostgreSQL. A request is
    answered with success when its facts are in the ledger. GET /healthz and /readyz on the HTTP door are for
    platforms. Where verdicts go is OpenTelemetry's to say (OTEL_EXPORTER_OTLP_ENDPOINT and its kin). Exit codes:
    0 done; 2 usage; 3 the ledger can't be used.
    """
    try:
        from counterfoil.serving.doors import OFF, DoorError, is_for_this_machine
        from counterfoil.serving.limits import Limits
        from counterfoil.serving.outgoing import Outgoing
        from counterfoil.serving.worker import RESOURCE, Worker
    except ImportError as missing:
        raise typer.BadParameter(f"{missing.name} is not installed; pip install 'counterfoil[judge]'") from None
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

    from counterfoil.telling.teller import log

    if not any(name in os.environ for name in ENDPOINTS):
        raise typer.BadParameter(f"nobody would hear the verdicts; set {ENDPOINTS[0]}", param_hint="environment")
    tokens, certificate = _tokens(token_file, token_env), _certificate(tls_cert, tls_key)
    config, problems = Config.load()
    for problem in problems:
        log.warning("%s", problem)
    stop = threading.Event()
    for wanted in (signal.SIGTERM, signal.SIGINT):
        signal.signal(wanted, lambda *_: stop.set())
    with opened(ledger, make=True) as shared:
        try:
            web, rpc = (None if one == OFF else one for one in (http, grpc))
            if not tokens and not all(is_for_this_machine(one) for one in (web, rpc) if one):
                log.warning("everybody who reaches this address may send facts; give --token-file or --token-env")
            worker = Worker(
                config,
                shared,
                Outgoing(RESOURCE),
                PeriodicExportingMetricReader(OTLPMetricExporter()),
                http=web,
                grpc=rpc,
                tokens=tokens,
                certificate=certificate,
                limits=Limits(body=max_body * 1024 * 1024, rate=rate, waiting=waiting),
            )
        except DoorError as wrong:
            raise typer.BadParameter(str(wrong)) from None
        # What is made for a batch goes with it, without circles. Looking for some a hundred times a second is dear.
        gc.freeze()
        gc.set_threshold(50_000, 50, 50)
        worker.start()
        for name, door in (("http", worker.http), ("grpc", worker.grpc)):
            if door is not None:
                print(f"{name} {door.port}", flush=True)
        stop.wait()
        worker.stop()
    print(f"{worker.told:,} verdict{'' if worker.told == 1 else 's'} told", flush=True)


def _tokens(path: Path | None, name: str | None) -> Tokens:
    """Tokens are read from where nobody who lists processes sees them."""
    from counterfoil.serving.taking import Tokens

    found: list[str] = []
    if path is not None:
        try:
            found += [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        except (OSError, UnicodeDecodeError):
            raise typer.BadParameter(f"{path} can't be read", param_hint="--token-file") from None
    if name is not None:
        found += [value] if (value := os.environ.get(name, "").strip()) else []
    if (path or name) and (not found or min(map(len, found)) < SHORTEST_TOKEN):
        hint = "--token-file" if path else "--token-env"
        raise typer.BadParameter(f"a token has at least {SHORTEST_TOKEN} characters", param_hint=hint)
    return Tokens(found)


def _certificate(chain: Path | None, key: Path | None) -> Certificate | None:
    from counterfoil.serving.doors import Certificate

    if (chain is None) != (key is None):
        raise typer.BadParameter("give both --tls-cert and --tls-key", param_hint="--tls-cert")
    return Certificate(str(chain), str(key)) if chain and key else None
