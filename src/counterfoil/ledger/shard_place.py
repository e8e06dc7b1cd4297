"""Where a database stands among several that are one ledger. It is on record in each, because another number of them
would look for operations where they aren't.

An operation is in the database whose number is the first 64 bits of the BLAKE2b digest of its name (8 bytes long, of
its UTF-8), modulo how many there are.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, NamedTuple

import psycopg

from counterfoil.ledger.faults import Kind, LedgerFault


class Place(NamedTuple):
    """``number``: from 0; the first has what reaches across operations."""

    number: int
    of: int


ALONE = Place(0, 1)

_TABLE = "CREATE TABLE IF NOT EXISTS counterfoil_shards (number integer NOT NULL, of integer NOT NULL)"
_IS_THERE = "SELECT to_regclass('counterfoil_shards') IS NOT NULL"
_IS_USED = "SELECT EXISTS (SELECT FROM counterfoil_facts) OR EXISTS (SELECT FROM counterfoil_gaps)"
_ONE_AT_A_TIME = 0x736861726473  # any number that nobody else is likely to lock


def shard_of(operation_id: str, shards: int) -> int:
    digest = blake2b(operation_id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) % shards


def take_place(db: psycopg.Connection[Any], ledger: str, place: Place) -> None:
    """Take down the place of a ledger that is new, or see that it is the one on record. A ledger of one database has
    no such record. Raises `LedgerFault` where the place is another one."""
    known = _known(db)
    if known is None and place != ALONE:
        with db.transaction():
            db.execute("SELECT pg_advisory_xact_lock(%s)", (_ONE_AT_A_TIME,))
            db.execute(_TABLE)
            known = _known(db)
            if known is None and not _asked(db, _IS_USED):
                db.execute("INSERT INTO counterfoil_shards VALUES (%s, %s)", place)
                known = place
    if (known or ALONE) != place:
        raise LedgerFault(Kind.OTHER_SHARDS, ledger, f"it was begun as {_said(known or ALONE)}, not as {_said(place)}")


def _known(db: psycopg.Connection[Any]) -> Place | None:
    if not _asked(db, _IS_THERE):
        return None
    row = db.execute("SELECT number, of FROM counterfoil_shards").fetchone()
    return None if row is None else Place(*row)


def _asked(db: psycopg.Connection[Any], question: str) -> bool:
    row = db.execute(question.encode()).fetchone()
    return bool(row and row[0])


def _said(place: Place) -> str:
    return "the only database" if place == ALONE else f"database {place.number + 1} of {place.of}"
