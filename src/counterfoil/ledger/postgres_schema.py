"""The tables of a PostgreSQL ledger, and the way from an older version of them to this one.

They lie in the first schema of the connection's search path, where `counterfoil_schema` says which version they have.
Rows are only added and deleted, but for what was told: writers have nothing to wait for but each other's same fact.
"""

from __future__ import annotations

from typing import Any, LiteralString

import psycopg

from counterfoil.ledger.faults import Kind, LedgerFault

STEPS: tuple[LiteralString, ...] = (
    # 1: facts are appended and found by operation; links say who shares something with whom. Every writer that has
    # something new says in `counterfoil_due` when it wants to be judged; judges take these rows away.
    """
    CREATE TABLE counterfoil_facts (
        operation_id text COLLATE "C" NOT NULL,
        fact bytea NOT NULL,
        record bytea NOT NULL,
        PRIMARY KEY (operation_id, fact)
    );
    CREATE TABLE counterfoil_links (
        link bytea NOT NULL,
        operation_id text COLLATE "C" NOT NULL,
        PRIMARY KEY (link, operation_id)
    );
    CREATE TABLE counterfoil_gaps (fact bytea PRIMARY KEY, record bytea NOT NULL);
    CREATE TABLE counterfoil_due (
        seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        at bigint NOT NULL,
        operation_id text COLLATE "C" NOT NULL,
        news boolean NOT NULL
    ) WITH (autovacuum_vacuum_scale_factor = 0.02);
    CREATE INDEX counterfoil_due_at ON counterfoil_due (at);
    CREATE INDEX counterfoil_due_operation ON counterfoil_due (operation_id);
    """,
    # 2: what was told is kept too, so that a restart doesn't tell it again.
    """
    CREATE TABLE counterfoil_told (
        operation_id text COLLATE "C" PRIMARY KEY,
        revision bigint NOT NULL,
        at bigint NOT NULL,
        delivered boolean NOT NULL,
        open boolean NOT NULL,
        outcome text NOT NULL,
        said text NOT NULL
    ) WITH (fillfactor = 80);
    """,
)

VERSION = len(STEPS)
_ONE_AT_A_TIME = 0x636F756E746572  # any number that nobody else is likely to lock


def bring_forward(db: psycopg.Connection[Any], ledger: str, steps: tuple[LiteralString, ...] = STEPS) -> None:
    """Make the tables what this code expects. Raises `LedgerFault` for newer ones."""
    if _version(db, ledger, len(steps)) == len(steps):
        return
    with db.transaction():
        db.execute("SELECT pg_advisory_xact_lock(%s)", (_ONE_AT_A_TIME,))
        db.execute("CREATE TABLE IF NOT EXISTS counterfoil_schema (version integer NOT NULL)")
        for step in steps[_version(db, ledger, len(steps)) :]:
            db.execute(step)
        db.execute("DELETE FROM counterfoil_schema")
        db.execute("INSERT INTO counterfoil_schema VALUES (%s)", (len(steps),))


def _version(db: psycopg.Connection[Any], ledger: str, known: int) -> int:
    row = db.execute("SELECT to_regclass('counterfoil_schema') IS NOT NULL").fetchone()
    if row is None or not row[0]:
        return 0
    row = db.execute("SELECT coalesce(max(version), 0) FROM counterfoil_schema").fetchone()
    version = 0 if row is None else int(row[0])
    if version > known:
        raise LedgerFault(
            Kind.TOO_NEW, ledger, f"its tables are of version {version}, and this counterfoil knows up to {known}"
        )
    return version
