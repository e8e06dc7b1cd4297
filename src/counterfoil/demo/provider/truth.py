"""The provider's book of truth: what it holds, which keys it remembers, which requests it was sent."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

Body = Mapping[str, object]

SCHEMA = """
CREATE TABLE objects (
    id TEXT PRIMARY KEY, resource TEXT NOT NULL, reference TEXT NOT NULL, state TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE keys (
    resource TEXT NOT NULL, key TEXT NOT NULL, payload TEXT NOT NULL, status INTEGER, body TEXT,
    PRIMARY KEY (resource, key));
CREATE TABLE requests (
    seq INTEGER PRIMARY KEY, resource TEXT NOT NULL, reference TEXT NOT NULL, key TEXT, payload TEXT NOT NULL);
"""
PREFIXES = {"payments": "pay", "tickets": "tck", "mail": "msg"}

HELD, QUEUED, DROPPED = "held", "queued", "dropped"
"""The states of an object. A queued one was promised; a dropped one was promised and will never be."""


@dataclass(frozen=True, slots=True)
class Object:
    """One object that the provider made or promised. ``body`` is what was asked for, as the provider took it."""

    id: str
    resource: str
    reference: str
    state: str
    body: Body


@dataclass(frozen=True, slots=True)
class Remembered:
    """A request that came under a key: its payload, and its answer once there is one (``status`` is None till then)."""

    payload: str
    status: int | None
    body: Body


class BookOfTruth:
    """An SQLite file. Not safe for threads on its own: the service writes under its lock."""

    def __init__(self, path: Path) -> None:
        """Open a book, and rule its pages if it is new. Raises `sqlite3.Error` for a file that isn't a book."""
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        if not self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'objects'").fetchone():
            self._db.executescript(SCHEMA)

    def close(self) -> None:
        self._db.close()

    def note(self, resource: str, reference: str, key: str | None, payload: str) -> None:
        """A request arrived, whatever becomes of it."""
        self._db.execute(
            "INSERT INTO requests (resource, reference, key, payload) VALUES (?, ?, ?, ?)",
            (resource, reference, key, payload),
        )

    def make(self, resource: str, reference: str, state: str, body: Body) -> Object:
        """Commit one object under a name of the provider's own."""
        (number,) = self._db.execute("SELECT count(*) FROM objects WHERE resource = ?", (resource,)).fetchone()
        made = Object(f"{PREFIXES[resource]}_{number + 1}", resource, reference, state, body)
        row = (made.id, resource, reference, state, json.dumps(body, sort_keys=True))
        self._db.execute("INSERT INTO objects VALUES (?, ?, ?, ?, ?)", row)
        return made

    def remembered(self, resource: str, key: str) -> Remembered | None:
        row = self._db.execute(
            "SELECT payload, status, body FROM keys WHERE resource = ? AND key = ?", (resource, key)
        ).fetchone()
        return None if row is None else Remembered(row[0], row[1], json.loads(row[2] or "{}"))

    def remember(self, resource: str, key: str, payload: str, status: int | None, body: Body) -> None:
        """Keep what a key was used for, and its answer (None: still in flight)."""
        row = (resource, key, payload, status, json.dumps(body))
        self._db.execute("INSERT OR REPLACE INTO keys VALUES (?, ?, ?, ?, ?)", row)

    def objects(self, resource: str, reference: str) -> list[Object]:
        """All that was made or promised for a reference, the oldest first."""
        rows = self._db.execute(
            "SELECT * FROM objects WHERE resource = ? AND reference = ? ORDER BY rowid",
            (resource, reference),
        )
        return [Object(name, kind, ref, state, json.loads(body)) for name, kind, ref, state, body in rows]

    def asked(self, resource: str, reference: str) -> frozenset[tuple[str | None, str]]:
        """Under which keys and with which payloads something was asked for, whatever came of it."""
        rows = self._db.execute(
            "SELECT key, payload FROM requests WHERE resource = ? AND reference = ?", (resource, reference)
        )
        return frozenset(rows.fetchall())


@contextmanager
def reading(path: Path) -> Iterator[BookOfTruth]:
    """A book for the time of a look into it."""
    with closing(BookOfTruth(path)) as book:
        yield book
