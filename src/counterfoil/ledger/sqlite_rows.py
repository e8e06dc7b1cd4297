"""What a SQLite ledger asks and writes, in SQLite's words."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby

from counterfoil.ledger.links import Link, links_of
from counterfoil.ledger.packing import Row, Rows, fact_of
from counterfoil.ledger.told import GAP_MATTERS, Told

FACTS = """
    SELECT operation_id, record FROM operations JOIN facts ON facts.operation = operations.id
    WHERE operation_id IN ({})
"""
SHARING = """
    SELECT operation_id FROM links JOIN operations ON operations.id = links.operation
    WHERE link = ? ORDER BY operation_id LIMIT ?
"""
TOLD = """
    SELECT operation_id, revision, at, delivered, said FROM operations JOIN told ON told.operation = operations.id
    WHERE operation_id IN ({})
"""
OPERATIONS = "SELECT operation_id FROM operations WHERE operation_id > ? ORDER BY operation_id LIMIT ?"
OPEN = """
    SELECT operation_id FROM operations LEFT JOIN told ON told.operation = operations.id
    WHERE operation_id > ? AND coalesce(open, 1) ORDER BY operation_id LIMIT ?
"""
_IS_SETTLED = "due IS NULL AND NOT open AND delivered AND at < ?"
SETTLED = f"""
    SELECT operation_id FROM operations JOIN told ON told.operation = operations.id
    WHERE {_IS_SETTLED} AND operation_id > ? ORDER BY operation_id LIMIT ?
"""
DUE = "SELECT id, operation_id, news, asked FROM operations WHERE due <= ? ORDER BY due LIMIT ?"

SOME_FACTS = """
    SELECT operation_id, operation, fact, record FROM facts JOIN operations ON operations.id = facts.operation LIMIT ?
"""
SOME_GAPS = "SELECT fact, record FROM gaps LIMIT ?"

_MAKE_DUE = "UPDATE operations SET due = min(coalesce(due, ?1), ?1), news = news OR ?2, asked = asked + 1 WHERE "
_TOUCHED_BY_A_GAP = f"""
    due IS NOT NULL OR id IN (SELECT operation FROM told WHERE outcome IN ({",".join(f"'{o}'" for o in GAP_MATTERS)}))
"""
_ANNOUNCE = """
    INSERT INTO told SELECT id, ?2, ?3, 0, ?4, ?5, ?6 FROM operations WHERE operation_id = ?1
    ON CONFLICT (operation) DO UPDATE SET (revision, at, delivered, open, outcome, said)
    = (excluded.revision, excluded.at, excluded.delivered, excluded.open, excluded.outcome, excluded.said)
    WHERE excluded.revision > told.revision
"""
_DELIVERED = """
    UPDATE told SET delivered = 1
    WHERE operation = (SELECT id FROM operations WHERE operation_id = ?) AND revision = ?
"""


def add(db: sqlite3.Connection, rows: Rows, due: int) -> int:
    """Insert where absent; how many were. An operation that learned something is made due."""
    new = sum(_add_facts(db, name, list(group), due) for name, group in groupby(rows.facts, key=lambda row: row[0]))
    gaps = db.executemany(
        "INSERT INTO gaps VALUES (?, ?) ON CONFLICT DO NOTHING", [(gap.fact, gap.record) for gap in rows.gaps]
    ).rowcount
    if rows.gaps and gaps:
        db.execute(_MAKE_DUE + _TOUCHED_BY_A_GAP, (due, 0))
        new += gaps
    return new


def _add_facts(db: sqlite3.Connection, name: str, facts: list[Row], due: int) -> int:
    found = db.execute("SELECT id FROM operations WHERE operation_id = ?", (name,)).fetchone()
    if found is None:
        made = db.execute("INSERT INTO operations (operation_id, due, news, asked) VALUES (?, ?, 1, 1)", (name, due))
        operation = made.lastrowid
    else:
        operation = found[0]
    new = db.executemany(
        "INSERT INTO facts VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        [(operation, row.fact, row.record) for row in facts],
    ).rowcount
    if links := {link for row in facts for link in row.links}:
        db.executemany("INSERT INTO links VALUES (?, ?) ON CONFLICT DO NOTHING", [(link, operation) for link in links])
    if new and found is not None:
        db.execute(_MAKE_DUE + "id = ?3", (due, 1, operation))
    return new


def announce(db: sqlite3.Connection, told: Told) -> bool:
    """Take down a revision where it is the largest so far."""
    said = told.said
    values = (told.operation_id, told.revision, told.at, said.open, said.outcome, said.text())
    return db.execute(_ANNOUNCE, values).rowcount == 1


def settle(
    db: sqlite3.Connection,
    seen: Iterable[tuple[int, int]],
    delivered: Iterable[Told],
    wakes: Iterable[tuple[str, int]],
) -> None:
    """End a claim: what was seen is no longer due, unless it was asked for since."""
    db.executemany("UPDATE operations SET due = NULL, news = 0 WHERE id = ? AND asked = ?", list(seen))
    db.executemany(_DELIVERED, [(told.operation_id, told.revision) for told in delivered])
    db.executemany(_MAKE_DUE + "operation_id = ?3", [(at, 0, name) for name, at in wakes])


def forget(db: sqlite3.Connection, name: str, before: int) -> bool:
    """Drop an operation that is settled still. Its links are read off its facts: no index leads from it to them."""
    question = f"SELECT id FROM operations JOIN told ON told.operation = id WHERE {_IS_SETTLED} AND operation_id = ?"
    found = db.execute(question, (before, name)).fetchone()
    if found is None:
        return False
    records = db.execute("SELECT record FROM facts WHERE operation = ?", found).fetchall()
    links = {link for (record,) in records for link in links_of(fact_of(name, record))}
    db.executemany("DELETE FROM links WHERE link = ? AND operation = ?", [(link, *found) for link in links])
    for statement in ("facts WHERE operation", "told WHERE operation", "operations WHERE id"):
        db.execute(f"DELETE FROM {statement} = ?", found)
    return True


def drop(
    db: sqlite3.Connection,
    facts: Sequence[tuple[int, bytes]],
    links: Collection[tuple[Link, int]],
    gaps: Sequence[tuple[bytes]],
) -> None:
    """Drop facts that another ledger has now, and the operations of which nothing is left here."""
    db.executemany("DELETE FROM facts WHERE operation = ? AND fact = ?", facts)
    db.executemany("DELETE FROM links WHERE link = ? AND operation = ?", list(links))
    db.executemany("DELETE FROM gaps WHERE fact = ?", gaps)
    db.executemany(
        "DELETE FROM operations WHERE id = ? AND NOT EXISTS (SELECT 1 FROM facts WHERE operation = operations.id)",
        [(operation,) for operation in {operation for operation, _ in facts}],
    )
