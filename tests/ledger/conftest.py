"""The ledgers, each new and empty: in memory, in a file, in PostgreSQL, and in three databases of PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from counterfoil.ledger import open_ledger
from counterfoil.ledger.protocol import Ledger
from tests.ledger.postgres import Server, postgres

__all__ = ["postgres"]

SHARDS = 3
KINDS = ("memory", "sqlite", "postgres", "sharded")


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new ledger of each kind is."""
    return url_of(request.param, request, tmp_path)


@pytest.fixture(params=("sqlite", "postgres", "sharded"))
def durable_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The same for those that processes share."""
    return url_of(request.param, request, tmp_path)


def url_of(kind: str, request: pytest.FixtureRequest, folder: Path) -> str:
    if kind == "postgres":
        server: Server = request.getfixturevalue("postgres")
        return server.fresh()
    if kind == "sharded":
        server = request.getfixturevalue("postgres")
        return " ".join(server.database() for _ in range(SHARDS))
    return "memory:" if kind == "memory" else f"sqlite:///{folder}/ledger.db"


@pytest.fixture
def ledger(url: str) -> Iterator[Ledger]:
    opened = open_ledger(url, patience_s=20)
    yield opened
    opened.close()
