"""Addresses, and what is said about them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from counterfoil.ledger import AddressError, Kind, LedgerFault, open_ledger
from counterfoil.ledger.faults import WAY_OUT, shown
from counterfoil.ledger.memory import MemoryLedger
from counterfoil.ledger.postgres import PostgresLedger
from counterfoil.ledger.sqlite import SqliteLedger
from counterfoil.testing import story

FACTS = story("intent pay")


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("memory:", MemoryLedger),
        ("sqlite:///ledger.db", SqliteLedger),
        ("sqlite:////var/lib/ledger.db?synchronous=full", SqliteLedger),
        ("postgresql://user:secret@db.example/audit", PostgresLedger),
        ("postgres://db.example/audit?sslmode=require", PostgresLedger),
    ],
)
def test_an_address_opens_its_kind_of_ledger_and_touches_nothing_yet(url: str, kind: type) -> None:
    assert isinstance(open_ledger(url), kind)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ledger.db",
        "memory://",
        "sqlite:",
        "sqlite://ledger.db",
        "sqlite:///",
        "sqlite:///a.db?synchronous=of",
        "sqlite:///a.db?mode=ro",
        "mysql://user:secret@host/db",
        "postgresql:db",
    ],
)
def test_any_other_address_is_refused_and_says_what_it_must_be(url: str) -> None:
    with pytest.raises(AddressError, match=r"memory:|sqlite:///") as refused:
        open_ledger(url)
    assert "secret" not in str(refused.value)


def test_only_a_server_has_a_spool(tmp_path: Path) -> None:
    with pytest.raises(AddressError, match="needs no spool"):
        open_ledger("memory:", spool=str(tmp_path / "spool.db"))


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://user:secret@db.example:5432/audit?sslkey=k", "postgresql://db.example:5432/audit"),
        ("postgresql:///audit?password=secret", "postgresql:///audit"),
        ("sqlite:///a.db?synchronous=full", "sqlite:///a.db"),
    ],
)
def test_no_message_holds_a_secret(url: str, said: str) -> None:
    assert shown(url) == said


def test_a_server_that_is_not_there_is_said_without_the_password() -> None:
    ledger = open_ledger("postgresql://user:secret@127.0.0.1:1/audit", patience_s=1)
    with pytest.raises(LedgerFault) as fault:
        ledger.add(FACTS, due=0)
    assert fault.value.kind is Kind.UNREACHABLE
    assert "secret" not in str(fault.value)
    assert "127.0.0.1:1/audit" in str(fault.value)
    assert fault.value.__cause__ is None


def test_every_kind_of_fault_has_a_way_out() -> None:
    assert WAY_OUT.keys() == set(Kind)


def test_power_safe_waits_for_the_disk(tmp_path: Path) -> None:
    for option, level in (("", 1), ("?synchronous=normal", 1), ("?synchronous=full", 2)):
        path = tmp_path / f"ledger{len(option)}.db"
        ledger = open_ledger(f"sqlite:///{path}{option}")
        assert isinstance(ledger, SqliteLedger)
        with ledger._writer.use() as db:
            assert db.execute("PRAGMA synchronous").fetchone() == (level,)
            assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_nothing_of_a_request_is_in_the_file(tmp_path: Path) -> None:
    """Keys are fingerprints and payloads hashes already in a fact; the file adds nothing and keeps no statement."""
    path = tmp_path / "ledger.db"
    ledger = open_ledger(f"sqlite:///{path}")
    ledger.add(story("intent pay key=k-secret-1 payload=A; attempt success"), due=0)
    ledger.close()
    assert not re.search(rb"k-secret-1", path.read_bytes())
