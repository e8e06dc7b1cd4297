"""A PostgreSQL named where its driver isn't installed: said with the way out, and no application pays for it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from counterfoil.ledger import DriverError, open_ledger

ADDRESS = "postgresql://app:hunter2@127.0.0.1:1/counterfoil"
WAY_OUT = "install counterfoil[postgres]"
WITHOUT = 'import sys; sys.modules["psycopg"] = None\n'

APPLICATION = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
import counterfoil

exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
counterfoil.attach(provider)
with counterfoil.operation("order-1", tool="charge") as charge:
    charge.receipt("ch_1")
provider.force_flush()
print([span.attributes["counterfoil.verdict"] for span in exporter.get_finished_spans() if "verdict" in span.name])
"""


@pytest.fixture
def no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("counterfoil.ledger.postgres")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)


def run(code: str, *args: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": os.defpath, "COUNTERFOIL_LEDGER": ADDRESS, "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}
    command = [sys.executable, "-c", WITHOUT + code, *args]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.usefixtures("no_driver")
@pytest.mark.parametrize("address", [ADDRESS, f"{ADDRESS} {ADDRESS}2", f"{ADDRESS}?spool=spool.db"])
def test_every_such_address_names_the_extra_and_no_password(address: str) -> None:
    with pytest.raises(DriverError, match="install counterfoil") as refused:
        open_ledger(address)
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("args", [("list",), ("show", "order-1"), ("watch",), ("reconcile", "--once")])
def test_every_command_says_so_and_ends_as_for_any_wrong_setting(args: tuple[str, ...]) -> None:
    done = run("from counterfoil.cli import main; main()", *args)
    assert done.returncode == 2, done.stderr
    assert WAY_OUT in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_an_application_goes_on_with_its_evidence_in_memory() -> None:
    done = run(APPLICATION)
    assert (done.returncode, done.stdout) == (0, "['verified_applied']\n"), done.stderr
    assert WAY_OUT in done.stderr
    assert "Traceback" not in done.stderr


def test_the_doctor_names_the_extra() -> None:
    done = run("from counterfoil.cli import main; main()", "doctor", "--json")
    assert WAY_OUT in done.stdout
