"""The fleet's database is away while an agent works: what it did waits on its host, and follows when it is back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.ledger.postgres import HASTY, Server, postgres, running
from tests.real.sink import sink

__all__ = ["postgres"]

AGENT = Path(__file__).parent / "agent.py"


@pytest.fixture
def server(postgres: Server) -> Iterator[Server]:
    """One to stop. Asking for the shared one first says what is left out where there is none."""
    with running(*HASTY) as mine:
        yield mine


def test_an_agent_that_lived_while_the_database_was_away_is_judged_when_it_is_back(server: Server, tmp_path: Path):
    ledger = f"{server.fresh()}&spool={quote(str(tmp_path / 'spool.db'))}"
    shared = os.environ | {"COUNTERFOIL_LEDGER": ledger, "COUNTERFOIL_SETTLE_AFTER": "0.2"}

    def runs(*command: str | Path, **more: str) -> str:
        done = subprocess.run(
            [sys.executable, *command], env=shared | more, timeout=120, check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    server.stop()
    runs(AGENT, "order-1", "k1", "receipt")
    server.start()
    with sink() as receiver:
        told = runs("-m", "counterfoil", "reconcile", "--once", OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url)

    assert told.startswith("1 verdict told")
    shown = json.loads(runs("-m", "counterfoil", "show", "order-1", "--json"))["operations"]["order-1"]
    assert (shown["verdict"], shown["attempts"]) == ("verified_applied", 1)
