"""The book of truth: an SQLite file that the provider alone writes, when it commits, and the check alone reads."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from prove.world.contracts import Known

SCHEMA = """
CREATE TABLE objects (ref TEXT PRIMARY KEY, account TEXT, resource TEXT, reference TEXT, payload TEXT,
                      state TEXT, at REAL, as_asked INTEGER);
CREATE INDEX by_reference ON objects (reference);
CREATE TABLE keys (contract TEXT, space TEXT, key TEXT, payload TEXT, ref TEXT, at REAL,
                   PRIMARY KEY (contract, space, key));
CREATE TABLE requests (seq INTEGER PRIMARY KEY, account TEXT, resource TEXT, reference TEXT, key TEXT, payload TEXT,
                       at REAL);
"""
HELD, ACCEPTED, DIED = "held", "accepted", "died"
"""The states of an object. What died was promised, and never was."""


@dataclass(frozen=True, slots=True)
class Object:
    """One object of the provider's. ``payload`` is a hash of what was asked for, ``as_asked`` whether it is that;
    ``at`` when it was made, in seconds."""

    ref: str
    reference: str
    payload: str
    state: str
    at: float
    as_asked: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """One request. ``payload`` is a hash of what was asked for, ``at`` when, in seconds."""

    contract: str
    account: str
    resource: str
    reference: str
    key: str | None
    payload: str
    at: float


class BookOfTruth:
    """Written by one thread. A crash of the machine may lose it, a crash of the process may not."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;" + SCHEMA)
        self._made = 0

    def note(self, asked: Asked) -> None:
        """A request came, whatever becomes of it."""
        row = (asked.account, asked.resource, asked.reference, asked.key, asked.payload, asked.at)
        self._db.execute("INSERT INTO requests VALUES (NULL, ?, ?, ?, ?, ?, ?)", row)

    def known(self, contract: str, space: str, key: str) -> Known | None:
        """What a key was used for."""
        where = (contract, space, key)
        row = self._db.execute(
            "SELECT payload, ref, at FROM keys WHERE contract = ? AND space = ? AND key = ?", where
        ).fetchone()
        return Known(*row) if row else None

    def remember(self, contract: str, space: str, key: str, known: Known) -> None:
        """Keep what a key was used for."""
        row = (contract, space, key, known.payload, known.ref, known.at)
        self._db.execute("INSERT OR REPLACE INTO keys VALUES (?, ?, ?, ?, ?, ?)", row)

    def make(self, asked: Asked, state: str, *, as_asked: bool = True) -> str:
        """The commit: from here on it is true. Gives the object's name."""
        self._made += 1
        ref = f"{asked.resource[:3]}_{self._made}"
        row = (ref, asked.account, asked.resource, asked.reference, asked.payload, state, asked.at, as_asked)
        self._db.execute("INSERT INTO objects VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        return ref

    def settle(self, ref: str, state: str) -> None:
        """A promise was kept, or died."""
        self._db.execute("UPDATE objects SET state = ? WHERE ref = ?", (state, ref))

    def objects(self, reference: str) -> list[Object]:
        """All that was made or promised for a reference, the oldest first."""
        rows = self._db.execute(
            "SELECT ref, reference, payload, state, at, as_asked FROM objects WHERE reference = ? ORDER BY rowid",
            (reference,),
        )
        return [
            Object(ref, about, payload, state, at, bool(as_asked)) for ref, about, payload, state, at, as_asked in rows
        ]


@contextmanager
def pages(path: Path) -> Iterator[sqlite3.Connection]:
    """The book, to be read after the run."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        yield db
