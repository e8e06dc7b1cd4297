"""Older tables are brought forward with all that is in them; newer ones are refused in plain words."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import psycopg
import pytest

from counterfoil.evidence import fold
from counterfoil.facts import Fact
from counterfoil.ledger import Kind, LedgerFault, open_ledger
from counterfoil.ledger import postgres_schema as in_postgres
from counterfoil.ledger import sqlite_schema as in_sqlite
from counterfoil.ledger.packing import rows_of
from counterfoil.testing import story
from tests.ledger.postgres import Server
from tests.ledger.worlds import judge_to_the_end

FACTS = story("intent pay; attempt success; receipt pay_1")
ROWS = rows_of(FACTS).facts


def path_of(url: str) -> str:
    return url.removeprefix("sqlite:///")


def older_sqlite(url: str) -> None:
    with sqlite3.connect(path_of(url), isolation_level=None) as db:
        in_sqlite.bring_forward(db, url, in_sqlite.STEPS[:1])
        db.execute("INSERT INTO operations (id, operation_id, due, news) VALUES (1, 'op-1', 0, 1)")
        db.executemany("INSERT INTO facts VALUES (1, ?, ?)", [(row.fact, row.record) for row in ROWS])


one_database = pytest.mark.parametrize("durable_url", ["sqlite", "postgres"], indirect=True)


def older_postgres(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as db:
        in_postgres.bring_forward(db, url, in_postgres.STEPS[:1])
        db.execute("INSERT INTO counterfoil_due (at, operation_id, news) VALUES (0, 'op-1', true)")
        db.cursor().executemany("INSERT INTO counterfoil_facts VALUES (%s, %s, %s)", [row[:3] for row in ROWS])


@one_database
def test_a_ledger_of_the_first_version_is_brought_forward(durable_url: str) -> None:
    (older_sqlite if durable_url.startswith("sqlite") else older_postgres)(durable_url)
    ledger = open_ledger(durable_url)
    assert ledger.facts(["op-1"]) == fold(FACTS)
    assert judge_to_the_end(ledger) == 1
    assert ledger.told(["op-1"])["op-1"].said.verdict == "verified_applied"
    ledger.close()


@one_database
def test_a_newer_ledger_is_refused_in_plain_words(durable_url: str) -> None:
    open_ledger(durable_url).add(FACTS, due=0)
    if durable_url.startswith("sqlite"):
        with sqlite3.connect(path_of(durable_url)) as db:
            db.execute("PRAGMA user_version = 7")
    else:
        with psycopg.connect(durable_url, autocommit=True) as db:
            db.execute("UPDATE counterfoil_schema SET version = 7")
    ledger = open_ledger(durable_url)
    for _ in range(2):
        with pytest.raises(LedgerFault, match=r"version 7, and this counterfoil knows up to 2.*upgrade") as refused:
            ledger.facts(["op-1"])
        assert refused.value.kind is Kind.TOO_NEW
    with pytest.raises(LedgerFault):
        ledger.add(FACTS, due=0)


def test_many_open_a_new_ledger_at_once(durable_url: str) -> None:
    faults: list[Exception] = []
    facts: list[Fact] = [fact for fact in FACTS if isinstance(fact, Fact)]

    def open_and_add() -> None:
        try:
            open_ledger(durable_url, patience_s=30).add(facts, due=0)
        except Exception as fault:
            faults.append(fault)

    threads = [threading.Thread(target=open_and_add) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert open_ledger(durable_url).facts(["op-1"]) == fold(FACTS)


def test_a_step_that_fails_leaves_the_older_tables(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/ledger.db"
    older_sqlite(url)
    steps = (*in_sqlite.STEPS, "CREATE TABLE more (a); SELECT no_such_function()")
    with sqlite3.connect(path_of(url), isolation_level=None) as db:
        with pytest.raises(sqlite3.OperationalError):
            in_sqlite.bring_forward(db, url, steps)
        assert in_sqlite.version_of(db, url) == 1
    assert open_ledger(url).facts(["op-1"]) == fold(FACTS)


def test_tables_lie_in_the_schema_that_the_address_names(postgres: Server) -> None:
    one, other = postgres.fresh(), postgres.fresh()
    assert "search_path" in one
    open_ledger(one).add(FACTS, due=0)
    assert open_ledger(other).operations() == []
    assert open_ledger(one).facts(["op-1"]) == fold(FACTS)
