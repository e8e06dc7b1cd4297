"""The tables of a SQLite ledger, and the way from an older version of them to this one.

`PRAGMA user_version` says which version a file has. Each step leads from one version to the next and is never changed
once it was released. A file that is newer than this code is refused: what it says can't be known.
"""

from __future__ import annotations

import sqlite3

from counterfoil.ledger.faults import Kind, LedgerFault

STEPS = (
    # 1: facts are appended and found by operation; links say who shares something with whom.
    """
    CREATE TABLE operations (
        id INTEGER PRIMARY KEY,
        operation_id TEXT NOT NULL UNIQUE,
        due INTEGER,                        -- nanoseconds since 1970, null where there is nothing to do
        news INTEGER NOT NULL DEFAULT 0,    -- facts came since it was last judged
        asked INTEGER NOT NULL DEFAULT 0    -- how often it was made due: tells a claim that it is out of date
    );
    CREATE INDEX operations_due ON operations (due) WHERE due IS NOT NULL;
    CREATE TABLE facts (
        operation INTEGER NOT NULL,
        fact BLOB NOT NULL,                 -- the first 128 bits of the fact's name, which is made from its content
        record BLOB NOT NULL,
        PRIMARY KEY (operation, fact)
    ) WITHOUT ROWID;
    CREATE TABLE links (
        link BLOB NOT NULL,
        operation INTEGER NOT NULL,
        PRIMARY KEY (link, operation)
    ) WITHOUT ROWID;
    CREATE TABLE gaps (fact BLOB PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID;
    """,
    # 2: what was told is kept too, so that a restart doesn't tell it again.
    """
    CREATE TABLE told (
        operation INTEGER PRIMARY KEY,
        revision INTEGER NOT NULL,
        at INTEGER NOT NULL,
        delivered INTEGER NOT NULL,
        open INTEGER NOT NULL,
        outcome TEXT NOT NULL,
        said TEXT NOT NULL
    );
    """,
)

VERSION = len(STEPS)


def bring_forward(db: sqlite3.Connection, ledger: str, steps: tuple[str, ...] = STEPS) -> None:
    """Make the tables what this code expects, in one transaction. Raises `LedgerFault` for a newer file."""
    if version_of(db, ledger, len(steps)) == len(steps):
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        for number in range(version_of(db, ledger, len(steps)), len(steps)):
            for statement in steps[number].split(";"):
                if statement.strip():
                    db.execute(statement)
        db.execute(f"PRAGMA user_version = {len(steps)}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def version_of(db: sqlite3.Connection, ledger: str, known: int = VERSION) -> int:
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    if version > known:
        raise LedgerFault(
            Kind.TOO_NEW, ledger, f"its tables are of version {version}, and this counterfoil knows up to {known}"
        )
    return version
