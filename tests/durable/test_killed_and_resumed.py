"""The agent is killed after the provider committed, and resumed elsewhere. A look settles it, or a person does.

The provider, PostgreSQL, the agents, the worker and whoever receives the telemetry are processes and servers of their
own; between them there is only the ledger.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.ledger.postgres import Server, postgres
from tests.real.sink import Sink, sink

__all__ = ["postgres"]

SHOP = Path(__file__).parent / "shop.py"
TOOLS = """
[tools.charge]
side_effect = true
expect = "objects[0].cents == `4900`"

[tools.charge.probe]
url = "{place}/v1/payments?reference={{operation_id}}"
found = "objects[*].id"
count = "count"
first = "200ms"
"""


@pytest.fixture(scope="module")
def receiver() -> Iterator[Sink]:
    with sink() as running:
        yield running


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a provider that keeps its own book."""
    command = [sys.executable, "-m", "counterfoil.demo.provider", tmp_path_factory.mktemp("provider") / "book.db"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        yield f"http://127.0.0.1:{json.loads(running.stdout.readline())['port']}"
        assert running.stdin is not None
        running.stdin.close()


@dataclass
class Fleet:
    """Processes that share one ledger."""

    environ: dict[str, str]
    place: str
    receiver: Sink

    def agent(self, order: str, *how: str) -> tuple[int, str]:
        command = [sys.executable, SHOP, self.place, order, *how]
        done = subprocess.run(
            command, env=self.environ, timeout=120, check=False, capture_output=True, text=True, cwd=Path.cwd()
        )
        return done.returncode, done.stdout.strip() or done.stderr

    def says(self, *words: str, **more: str) -> str:
        command = [sys.executable, "-m", "counterfoil", *words]
        done = subprocess.run(
            command, env=self.environ | more, timeout=120, check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextmanager
    def workers(self, number: int, **more: str) -> Iterator[None]:
        """So many `counterfoil reconcile` on this ledger, until the block is left."""
        command = [sys.executable, "-m", "counterfoil", "reconcile"]
        running = [subprocess.Popen(command, env=self.environ | more, stdout=subprocess.PIPE) for _ in range(number)]
        try:
            yield
        finally:
            for one in running:
                one.send_signal(signal.SIGTERM)
            ended = [(one.wait(60), one.stdout and one.stdout.close())[0] for one in running]
        assert ended == [0] * number

    def told(self, order: str) -> list[tuple[str, int]]:
        """The verdict spans that arrived, in order of their revisions."""
        found = []
        for span in self.receiver.spans():
            words = {one.key: one.value for one in span.attributes}
            if "counterfoil.verdict" in words and words["counterfoil.operation.id"].string_value == order:
                found.append((words["counterfoil.verdict"].string_value, words["counterfoil.revision"].int_value))
        return sorted(found, key=lambda one: one[1])

    def holds(self, order: str) -> list[str]:
        """What the provider's own book holds."""
        with urllib.request.urlopen(f"{self.place}/truth/payments?reference={order}") as answer:
            return [one["id"] for one in json.load(answer)["objects"]]

    def until_told(self, order: str, verdict: str) -> None:
        self.receiver.wait(lambda: (self.told(order) or [("", 0)])[-1][0] == verdict, f"{order} {verdict}")


@pytest.fixture
def fleet(postgres: Server, place: str, receiver: Sink) -> Fleet:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    environ |= {
        "COUNTERFOIL_LEDGER": postgres.fresh(),
        "COUNTERFOIL_SETTLE_AFTER": "0.2",
        "COUNTERFOIL_DEADLINE": "1",
        "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url,
        "OTEL_BSP_SCHEDULE_DELAY": "100",
    }
    return Fleet(environ, place, receiver)


@pytest.mark.real
def test_a_look_at_the_provider_settles_it(fleet: Fleet, tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text(TOOLS.format(place=fleet.place))

    assert fleet.agent("order-1", "killed")[0] == -signal.SIGKILL
    code, answer = fleet.agent("order-1")  # elsewhere, under a new run id
    assert (code, "nobody knows whether it was done" in answer) == (0, True), answer

    with fleet.workers(2, COUNTERFOIL_CONFIG=str(settings)):
        fleet.until_told("order-1", "verified_applied")
    fleet.says("reconcile", "--once", COUNTERFOIL_CONFIG=str(settings))

    [payment] = fleet.holds("order-1")
    verdicts, revisions = zip(*fleet.told("order-1"), strict=True)
    assert (verdicts[-1], {*verdicts[:-1]} <= {"indeterminate"}) == ("verified_applied", True)
    assert sorted(set(revisions)) == list(revisions), "no revision is told twice"
    shown = fleet.says("show", "order-1")
    assert payment in shown
    assert "as asked for" in shown
    code, answer = fleet.agent("order-1")
    assert f"it was done already (reference {payment})" in answer
    assert fleet.holds("order-1") == [payment]


@pytest.mark.real
def test_what_nobody_can_look_up_a_person_settles(fleet: Fleet) -> None:
    assert fleet.agent("order-2", "killed")[0] == -signal.SIGKILL
    assert "nobody knows whether it was done" in fleet.agent("order-2")[1]
    with fleet.workers(2):
        fleet.until_told("order-2", "indeterminate")
        settled = fleet.says("resolve", "order-2", "applied", "--by", "on call", "--why", "it is on their page")
        fleet.until_told("order-2", "verified_applied")
    fleet.says("reconcile", "--once")

    assert settled.startswith("indeterminate -> verified_applied")
    revisions = [revision for _, revision in fleet.told("order-2")]
    assert sorted(set(revisions)) == revisions
    assert "order-2" not in fleet.says("list", "--open")
    assert "it was done already" in fleet.agent("order-2")[1]
    assert len(fleet.holds("order-2")) == 1
