"""The collector beside the application sends facts one way and all else the other, and waits for who is away."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real.collector.conftest import CONFIGS
from tests.real.otlp import record, send_records, send_spans, span
from tests.real.sink import Sink, sink
from tools.observe import servers
from tools.observe.service import Service, free_ports

pytestmark = pytest.mark.real


def agent(folder: Path, gateway: str, fleet: str) -> Service:
    environment = {"COLLECTOR_GATEWAY": gateway, "COLLECTOR_FLEET": fleet}
    return servers.collector("agent", folder, [CONFIGS / "agent.yaml"], environment)


def names(backend: Sink) -> set[str]:
    return {each.event_name for each in backend.records()} | {each.name for each in backend.spans()}


def test_facts_go_to_the_fleet_and_the_rest_to_the_gateway(otelcol: Path, tmp_path: Path) -> None:
    fact = record("counterfoil.fact", {"counterfoil.operation.id": "op-1"})
    verdict = record("counterfoil.verdict", {"counterfoil.operation.id": "op-1"})
    with sink() as gateway, sink() as fleet, agent(tmp_path, gateway.url, fleet.url) as collector:
        send_records(collector.url("http"), [fact, verdict])
        send_spans(collector.url("http"), [span("execute_tool create_ticket", 0x61)])
        gateway.wait(lambda: len(names(gateway)) == 2, "a verdict and a span at the gateway")
        fleet.wait(lambda: names(fleet), "a fact at the fleet's collector")
        collector.stop()
        assert names(gateway) == {"counterfoil.verdict", "execute_tool create_ticket"}
        assert names(fleet) == {"counterfoil.fact"}


def test_what_was_taken_survives_a_restart(otelcol: Path, tmp_path: Path) -> None:
    """Nobody answers while the agent's collector takes a verdict and is restarted."""
    (nobody,) = free_ports(1)
    away = f"http://127.0.0.1:{nobody}"
    with agent(tmp_path, away, away) as collector:
        send_spans(collector.url("http"), [span("verdict create_ticket", 0x62)])
    with sink() as gateway, agent(tmp_path, gateway.url, away):
        gateway.wait(gateway.spans, "the verdict that was taken before the restart")
