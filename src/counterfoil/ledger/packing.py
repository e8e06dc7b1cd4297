"""A fact as it lies in a ledger: who it is about, a name made from its content, and its record in few bytes.

The record is the one of evidence, version 1, without the operation's id, which stands beside it. Its field names are
one letter each, and hashes are in base 64: ``["kti", "attempt", "2025-…", "#oq9k…"]``. It is JSON still, half as long
as with everything spelled out, and read back by the same reader as a file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from counterfoil.facts import Fact, Gap, Unreadable
from counterfoil.ledger.faults import Kind, LedgerFault
from counterfoil.ledger.forms import spelled, written
from counterfoil.ledger.links import Link, links_of
from counterfoil.reading.evidence import Unusable, fact_from

FACT_BYTES = 16
"""How much of a fact's name is kept: the first 128 bits of `records.fact_id`. Two facts of one operation that agree in
them are taken for one; to make such a pair on purpose takes 2^64 hashes."""

MAX_NAME = 1_024
"""The longest operation id that is kept, in characters; the reader's own limit."""


class Row(NamedTuple):
    """One fact, ready to be written. A gap has no operation and no links."""

    operation_id: str
    fact: bytes
    record: bytes
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """Facts, ready to be written, in the one order in which every writer writes: by operation, then by name."""

    facts: tuple[Row, ...]
    gaps: tuple[Row, ...]

    def __len__(self) -> int:
        return len(self.facts) + len(self.gaps)

    def parts(self, most: int) -> Iterator[Rows]:
        """The same in parts of at most ``most`` facts."""
        for start in range(0, len(self.facts), most):
            yield Rows(self.facts[start : start + most], ())
        for start in range(0, len(self.gaps), most):
            yield Rows((), self.gaps[start : start + most])


def rows_of(facts: Iterable[Fact | Gap]) -> Rows:
    """Raises `LedgerFault` (unstorable) where an operation's id can't be a key."""
    about: list[Row] = []
    gaps: list[Row] = []
    for fact in facts:
        (gaps if isinstance(fact, Gap) else about).append(_row(fact))
    return Rows(tuple(sorted(set(about))), tuple(sorted(set(gaps))))


def _row(fact: Fact | Gap) -> Row:
    try:
        whole, packed = written(fact)
    except (TypeError, ValueError, OverflowError):
        why = "a fact holds text, a number or a time that a record can't"
        raise LedgerFault(Kind.UNSTORABLE, "", why) from None
    name = hashlib.sha256(whole).digest()[:FACT_BYTES]
    if isinstance(fact, Gap):
        return Row("", name, packed, ())
    return Row(_storable(fact.operation_id), name, packed, links_of(fact))


def _storable(operation_id: object) -> str:
    if isinstance(operation_id, str) and is_storable(operation_id):
        return operation_id
    raise LedgerFault(Kind.UNSTORABLE, "", "an operation's name is empty, too long, no Unicode or holds a NUL")


def is_storable(name: str) -> bool:
    """Whether an operation may have this name. About any other name no ledger knows anything, and none is asked."""
    if not 0 < len(name) <= MAX_NAME or "\x00" in name:
        return False
    if not name.isascii():
        try:
            name.encode()
        except UnicodeEncodeError:
            return False
    return True


def fact_of(operation_id: str, record: bytes) -> Fact:
    """The fact of an operation. A record that can't be read leaves doubt about its operation, and nothing else."""
    try:
        return _read(operation_id, record)
    except (Unusable, ValueError, TypeError, KeyError):
        return Unreadable(operation_id=operation_id, observed_at=0, field="ledger record")


def gap_of(record: bytes) -> Gap:
    """A gap. One that can't be read is a gap all the same: that something is missing is all that it says."""
    try:
        gap = fact_from(spelled(record))
    except (Unusable, ValueError, TypeError, KeyError):
        gap = None
    return gap if isinstance(gap, Gap) else Gap(what="unreadable gap", observed_at=0)


def _read(operation_id: str, record: bytes) -> Fact:
    said = spelled(record)
    said["operation_id"] = operation_id
    fact = fact_from(said)
    if isinstance(fact, Gap):
        raise TypeError("a gap where a fact should be")
    return fact
