"""Facts on their way: from an agent's process to a judge, past a judge that is away, and through a real collector."""

from __future__ import annotations

import os
import ssl
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.resources import Resource

from counterfoil import names
from counterfoil.facts import Fact, Gap, Intent
from counterfoil.telling.sending import Sender
from counterfoil.testing import story
from tests.judge.running import judge, ledger_in, verdicts
from tests.judge.sending import of_facts
from tests.ledger.postgres import Server, postgres
from tests.real.collector.conftest import CONFIGS, otelcol
from tests.real.sink import Sink, sink
from tools.observe import servers

__all__ = ["otelcol", "postgres"]

AGENT = Path(__file__).with_name("agent.py")


@pytest.fixture
def told() -> Iterator[Sink]:
    with sink() as running:
        yield running


def run_agent(endpoint: str, operation: str, reference: str) -> None:
    environment = os.environ | {"COUNTERFOIL_EMIT": "facts", "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}
    command = [sys.executable, AGENT, operation, reference]
    done = subprocess.run(command, env=environment, timeout=60, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_two_hosts_that_share_no_database_are_judged_together(told: Sink, tmp_path: Path) -> None:
    with judge(ledger_in(tmp_path), told) as worker:
        run_agent(worker.url, "order-1", "ch_1")
        run_agent(worker.url, "order-1", "ch_2")
        told.wait(lambda: verdicts(told).get("order-1") == "duplicate_effect", "the verdict of both")
    assert "key-of-ch_1" not in told.text()


@pytest.mark.real
def test_facts_pass_a_collector_that_routes_them_to_two_judges(
    otelcol: Path, told: Sink, tmp_path: Path, postgres: Server
) -> None:
    url = postgres.fresh()
    with judge(url, told) as one, judge(url, told) as two:
        environment = {
            "COLLECTOR_JUDGES": f"[127.0.0.1:{one.grpc}, 127.0.0.1:{two.grpc}]",
            "COLLECTOR_JUDGES_INSECURE": "true",
        }
        with servers.collector("fleet", tmp_path, [CONFIGS / "fleet.yaml"], environment) as collector:
            operations = [f"order-{n}" for n in range(3)]
            for operation in operations:
                run_agent(collector.url("http"), operation, f"{operation}-a")
            two.kill()
            for operation in operations:
                run_agent(collector.url("http"), operation, f"{operation}-b")
            two.restart()
            expected = dict.fromkeys(operations, "duplicate_effect")
            told.wait(lambda: verdicts(told) == expected, "the verdict of both sightings of each")


def test_a_judge_shows_its_certificate_and_asks_for_the_token(told: Sink, tmp_path: Path) -> None:
    chain, key, token = tmp_path / "chain.pem", tmp_path / "key.pem", tmp_path / "token"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    subprocess.run([*make, "-keyout", key, "-out", chain, "-days", "2", *subject], check=True, capture_output=True)
    token.write_text("a-token-of-some-length\n")
    words = ["--tls-cert", str(chain), "--tls-key", str(key), "--token-file", str(token)]
    with judge(ledger_in(tmp_path), told, *words) as worker:
        trust = ssl.create_default_context(cafile=str(chain))
        assert worker.asked("/readyz", trust) == 200
        import grpc
        import httpx
        from opentelemetry.proto.collector.logs.v1.logs_service_pb2_grpc import LogsServiceStub

        sent = of_facts(story("intent pay op=order-1; attempt success op=order-1"))
        headers = {"content-type": "application/x-protobuf"}
        to = f"https://localhost:{worker.http}/v1/logs"
        assert httpx.post(to, content=sent.SerializeToString(), headers=headers, verify=trust).status_code == 401
        headers["authorization"] = "Bearer a-token-of-some-length"
        assert httpx.post(to, content=sent.SerializeToString(), headers=headers, verify=trust).status_code == 200
        trusted = grpc.ssl_channel_credentials(chain.read_bytes())
        with grpc.secure_channel(f"localhost:{worker.grpc}", trusted) as channel:
            metadata = [("authorization", "Bearer a-token-of-some-length")]
            LogsServiceStub(channel).Export(sent, timeout=30, metadata=metadata, wait_for_ready=True)
        told.wait(lambda: "order-1" in verdicts(told), "the verdict")
        _, said, complained = worker.stop()
    assert "a-token" not in said + complained


# ------------------------------------------------------------------------- the queue


class Exporter(LogRecordExporter):
    """Takes requests while it is willing."""

    def __init__(self) -> None:
        self.willing = True
        self.taken: list[ReadableLogRecord] = []

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
        if not self.willing:
            return LogRecordExportResult.FAILURE
        self.taken.extend(batch)
        return LogRecordExportResult.SUCCESS

    def shutdown(self) -> None:
        """There is nothing to let go of."""

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return True

    @property
    def kinds(self) -> list[object]:
        return [(one.log_record.attributes or {})[names.FACT_KIND] for one in self.taken]


def intents(number: int) -> list[Fact | Gap]:
    return [Intent(operation_id=f"order-{n}", observed_at=n) for n in range(number)]


def test_facts_wait_for_a_judge_that_is_away_and_what_found_no_room_is_a_gap() -> None:
    exporter, dropped = Exporter(), []
    exporter.willing = False
    sender = Sender(exporter, Resource.get_empty(), dropped.append, most=5)
    sender.put(intents(7))
    assert not sender.flush(0)
    assert sum(dropped) == 2

    exporter.willing = True
    assert sender.flush(60)

    assert sorted(map(str, exporter.kinds)) == ["gap", *["intent"] * 5]


def test_a_fact_that_cannot_travel_costs_none_beside_it() -> None:
    exporter, dropped = Exporter(), []
    sender = Sender(exporter, Resource.get_empty(), dropped.append)
    sender.put([Intent(operation_id="order-1", observed_at=1, agent="\ud800"), *intents(2)])
    assert sender.flush(60)
    assert sorted(map(str, exporter.kinds)) == ["gap", "intent", "intent"]
    assert dropped == [1]
