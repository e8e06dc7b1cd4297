"""Facts of one operation come together at one judge, from whichever host and in whichever batch they were sent."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from tests.real.collector.conftest import CONFIGS
from tests.real.otlp import attributes, record, send_records
from tests.real.sink import Sink, sink
from tools.observe import servers
from tools.observe.service import Service, free_ports

pytestmark = pytest.mark.real

JUDGE = Path(__file__).with_name("judge.yaml")
OPERATIONS = [f"order-{number}" for number in range(40)]
KINDS = ("intent", "attempt", "effect")


def fact(operation: str, kind: str) -> LogRecord:
    return record("counterfoil.fact", {"counterfoil.operation.id": operation, "counterfoil.fact.kind": kind})


@contextmanager
def judges(folder: Path, backend: Sink, ports: Sequence[int | None] = (None, None)) -> Iterator[list[int]]:
    """Start a stand-in for a judge on each gRPC port, None: any that is free. It passes on below `/judge-N`."""
    with ExitStack() as stack:
        taken = []
        for number, port in enumerate(ports):
            environment = {"COLLECTOR_TEST": f"{backend.url}/judge-{number}"}
            if port is not None:
                environment["COLLECTOR_OTLP_GRPC"] = f"127.0.0.1:{port}"
            judge = servers.collector(f"judge-{number}", folder, [JUDGE], environment)
            stack.enter_context(judge)
            taken.append(port or judge.ports["grpc"])
        yield taken


def fleet(folder: Path, ports: list[int]) -> Service:
    environment = {
        "COLLECTOR_JUDGES": "[" + ", ".join(f"127.0.0.1:{port}" for port in ports) + "]",
        "COLLECTOR_JUDGES_INSECURE": "true",
    }
    return servers.collector("fleet", folder, [CONFIGS / "fleet.yaml"], environment)


def where(backend: Sink) -> dict[str, set[str]]:
    """The judges that each operation's facts have reached."""
    places: dict[str, set[str]] = defaultdict(set)
    for judge in ("/judge-0", "/judge-1"):
        for each in backend.records(judge):
            places[attributes(each)["counterfoil.operation.id"]].add(judge)
    return places


def arrived(backend: Sink) -> set[tuple[str, str]]:
    """The facts that have reached any judge, whatever number of times."""
    seen = (attributes(each) for each in backend.records())
    return {(each["counterfoil.operation.id"], each["counterfoil.fact.kind"]) for each in seen}


EVERYTHING = {(operation, kind) for operation in OPERATIONS for kind in KINDS}


def test_one_operation_has_one_judge(otelcol: Path, tmp_path: Path) -> None:
    """Three hosts each send one kind of fact about all operations, mixed in one batch; another sends one at a time."""
    with sink() as backend, judges(tmp_path, backend) as ports, fleet(tmp_path, ports) as collector:
        for kind in KINDS:
            send_records(collector.url("http"), [fact(each, kind) for each in OPERATIONS], service=f"host-{kind}")
        for each in OPERATIONS:
            send_records(collector.url("http"), [fact(each, "attempt")], service="host-resending")
        backend.wait(lambda: len(backend.records()) >= 160, "160 facts")
        places = where(backend)

    assert arrived(backend) == EVERYTHING
    assert all(len(judges) == 1 for judges in places.values()), places
    share = Counter(next(iter(judges)) for judges in places.values())
    assert set(share) == {"/judge-0", "/judge-1"}, share


def test_facts_wait_on_disk_for_a_judge_that_is_away(otelcol: Path, tmp_path: Path) -> None:
    """A judge is down and the fleet's collector restarts; when both are back nothing is missing."""
    ports = free_ports(2)
    with sink() as backend:
        with fleet(tmp_path, ports) as collector:
            send_records(collector.url("http"), [fact(each, "intent") for each in OPERATIONS])
        with judges(tmp_path, backend, ports), fleet(tmp_path, ports):
            wanted = {(each, "intent") for each in OPERATIONS}
            backend.wait(lambda: arrived(backend) == wanted, "the facts sent while no judge was there")
            assert all(len(judges) == 1 for judges in where(backend).values())


def test_only_facts_reach_a_judge(otelcol: Path, tmp_path: Path) -> None:
    with sink() as backend, judges(tmp_path, backend) as ports, fleet(tmp_path, ports) as collector:
        others = [
            record("counterfoil.verdict", {"counterfoil.operation.id": "order-1"}),
            record("", {"counterfoil.operation.id": "order-1"}, body="not an event"),
        ]
        send_records(collector.url("http"), [*others, fact("order-1", "intent")])
        backend.wait(backend.records, "the fact")
        collector.stop()
        assert [each.event_name for each in backend.records()] == ["counterfoil.fact"]
