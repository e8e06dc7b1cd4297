"""A judge, put together: doors, ledger, thread and the way out; and how it starts and ends."""

from __future__ import annotations

from collections.abc import Callable

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader
from opentelemetry.sdk.resources import Resource

from counterfoil.book.telling import Telling
from counterfoil.config import Config
from counterfoil.ledger import Ledger, LedgerFault
from counterfoil.serving.doors import Certificate, RpcDoor, WebDoor
from counterfoil.serving.judging import Judging
from counterfoil.serving.limits import Limits
from counterfoil.serving.outgoing import Outgoing
from counterfoil.serving.rpc import rpc_server
from counterfoil.serving.taking import Taking, Tokens
from counterfoil.serving.voice import Voice
from counterfoil.serving.web import web

RESOURCE = Resource.create({"service.name": "counterfoil-judge"})


class Worker:
    """Any number of these may share a ledger. ``http`` and ``grpc`` are addresses, None: no such door."""

    def __init__(
        self,
        config: Config,
        ledger: Ledger,
        outgoing: Outgoing,
        reader: MetricReader | None = None,
        *,
        http: str | None = "127.0.0.1:0",
        grpc: str | None = None,
        tokens: Tokens | None = None,
        certificate: Certificate | None = None,
        limits: Limits | None = None,
        watch: Callable[[list[Telling]], None] = lambda tellings: None,
    ) -> None:
        limits = limits or Limits()
        self._ledger = ledger
        self._outgoing = outgoing
        self._limits = limits
        self._meter_provider = MeterProvider([reader] if reader else [], resource=RESOURCE, shutdown_on_exit=False)
        voice = Voice(config, outgoing, self._meter_provider)
        self.told = 0

        def tell(tellings: list[Telling]) -> None:
            self.told += len(tellings)
            watch(tellings)
            voice.tell(tellings)

        self.book = voice.book(ledger, tell, outgoing.send)
        self.judging = Judging(self.book, voice.meters, voice.troubles)
        self.taking = Taking(ledger, voice.meters, tokens or Tokens(), limits, settle_after_s=config.settle_after_s)
        app = web(self.taking, lambda: self.judging.is_alive, self._is_ready)
        self.http = WebDoor(app, http, certificate, limits) if http else None
        self.grpc = RpcDoor(rpc_server(self.taking), grpc, certificate, limits) if grpc else None

    def start(self) -> None:
        """Open the doors. Raises `LedgerFault` where the ledger can't be used: that is said now, not by silence."""
        self._ledger.told([])
        self.judging.start()
        for door in self._doors:
            door.open()

    def stop(self) -> None:
        """Take no more, finish what was taken, tell what is due, and let go."""
        self.taking.leave()
        for door in self._doors:
            door.close()
        self.judging.stop(self._limits.patience_s)
        self._meter_provider.shutdown()
        self._outgoing.close()

    @property
    def _doors(self) -> list[WebDoor | RpcDoor]:
        return [door for door in (self.http, self.grpc) if door is not None]

    def _is_ready(self) -> bool:
        try:
            self._ledger.told([])
        except LedgerFault:
            return False
        return self.judging.is_alive
