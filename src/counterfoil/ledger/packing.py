"""A fact as it lies in a ledger: who it is about, a name made from its content, and its record in few bytes.

The record is the one of evidence, version 1, without the operation's id, which stands beside it. Its field names are
one letter each, and hashes are in base 64: ``["kti", "attempt", "2025-…", "#oq9k…"]``. It is JSON still, half as long
as with everything spelled out, and read back by the same reader as a file.
"""

from __future__ import annotations

import hashlib
import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from counterfoil.facts import Fact, Gap, Unreadable
from counterfoil.ledger.faults import Kind, LedgerFault
from counterfoil.ledger.links import Link, links_of
from counterfoil.reading.evidence import Unusable, fact_from
from counterfoil.reading.times import nanoseconds
from counterfoil.records import canonical, record_of

FACT_BYTES = 16
"""How much of a fact's name is kept: the first 128 bits of `records.fact_id`. Two facts of one operation that agree in
them are taken for one; to make such a pair on purpose takes 2^64 hashes."""

MAX_NAME = 1_024
"""The longest operation id that is kept, in characters; the reader's own limit."""

_NAMES = (
    "kind observed_at process trace_id span_id expected_count tool side_effect payload_hash idempotency_key key_scope "
    "key_ttl_s intent_ref approved hints hint_trusted id_source tool_call_id run_id conversation_id agent attempt_id "
    "transport http_status reported executed proof payload_state replay dispatch_ref scope wire_requests attempt_no "
    "started_only exception_event source effect_ref count authoritative settle_after_s stage matches_payload_hash "
    "conforms why about_ref compensates replayed by field what"
)
_LETTERS = dict(zip(_NAMES.split(), "ktpabcdefghijlmnoqrsuvwxyzABCDEFGHIJKLMNOPQRSTUVWX", strict=True))
"""One letter for each field. Letters are only ever added: what is on disk was written with these."""

_FIELDS = {letter: name for name, letter in _LETTERS.items()}
_OPERATION = "operation_id"
_HASHES = ("payload_hash", "idempotency_key", "matches_payload_hash")
_HASH = re.compile(r"(sha256:|hmac-sha256:)([0-9a-f]{64})", re.ASCII)
_MARKS = {"sha256:": "#", "hmac-sha256:": "~"}
_SCHEMES = {mark: scheme for scheme, mark in _MARKS.items()}
_MARKED = ("#", "~", "!")
_FLOATS = ("key_ttl_s", "settle_after_s")


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
    record = record_of(fact)
    name = hashlib.sha256(_canonical(fact, record)).digest()[:FACT_BYTES]
    operation_id = record.pop(_OPERATION, None)
    for field in _HASHES:
        if isinstance(value := record.get(field), str):
            record[field] = _short(value)
    packed = _dumps(["".join([_LETTERS[field] for field in record]), *record.values()])
    if isinstance(fact, Gap):
        return Row("", name, packed, ())
    return Row(_storable(operation_id), name, packed, links_of(fact))


def _canonical(fact: Fact | Gap, record: dict[str, object]) -> bytes:
    """`records.canonical`, by a faster writer where the two write alike: they spell numbers with a fraction unlike."""
    if not any(isinstance(record.get(name), float) for name in _FLOATS):
        try:
            return orjson.dumps(record, option=orjson.OPT_SORT_KEYS)
        except TypeError:  # a lone surrogate, or an integer of more than 64 bits
            pass
    return canonical(fact).encode("utf-8", "surrogatepass")


def _dumps(values: list[object]) -> bytes:
    try:
        return orjson.dumps(values)
    except TypeError:
        raise LedgerFault(Kind.UNSTORABLE, "", "a fact holds text or a number that JSON can't") from None


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
        gap = fact_from(_spelled(record))
    except (Unusable, ValueError, TypeError, KeyError):
        gap = None
    return gap if isinstance(gap, Gap) else Gap(what="unreadable gap", observed_at=0)


def _read(operation_id: str, record: bytes) -> Fact:
    spelled = _spelled(record)
    spelled[_OPERATION] = operation_id
    if spelled["kind"] == "unreadable":
        del spelled["kind"]
        return Unreadable(**spelled | {"observed_at": nanoseconds(str(spelled["observed_at"]))})  # type: ignore[arg-type]
    fact = fact_from(spelled)
    if isinstance(fact, Gap):
        raise TypeError("a gap where a fact should be")
    return fact


def _spelled(record: bytes) -> dict[str, object]:
    letters, *values = orjson.loads(record)
    spelled = {_FIELDS[letter]: value for letter, value in zip(letters, values, strict=True)}
    for field in _HASHES:
        if isinstance(value := spelled.get(field), str):
            spelled[field] = _long(value)
    return spelled


def _short(text: str) -> str:
    """A hash in two thirds of its length; any other text as it is."""
    match = _HASH.fullmatch(text)
    if match is not None:
        return _MARKS[match[1]] + b2a_base64(bytes.fromhex(match[2]), newline=False)[:43].decode()
    return "!" + text if text.startswith(_MARKED) else text


def _long(text: str) -> str:
    if not text.startswith(_MARKED):
        return text
    mark, rest = text[0], text[1:]
    return rest if mark == "!" else _SCHEMES[mark] + a2b_base64(rest + "=").hex()
