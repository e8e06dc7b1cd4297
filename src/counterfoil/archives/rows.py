"""One row of an archive, version 1, and what a file says of itself beside its rows.

A row is a fact, a gap (which has no operation) or a message list (neither has one). ``record`` is its canonical record,
evidence, version 1, whole: keys as fingerprints, no content. The other columns are read off it, for who asks with SQL.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from hashlib import blake2b, sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from counterfoil.auditing.neighbours import Places, shareable
from counterfoil.facts import Gap, Unreadable
from counterfoil.histories.history import History
from counterfoil.ledger.forms import written
from counterfoil.packed import Packed, pack, unpack
from counterfoil.reading.evidence import Unusable, form_of
from counterfoil.records import KINDS, rfc3339

if TYPE_CHECKING:
    import pyarrow as pa

VERSION = 1
"""It changes when a reader of this version would read a file wrongly; a further column alone doesn't change it."""

SAID = b"counterfoil-archive"
"""The key in a file's metadata under which it says its version and what could not be taken in."""

HISTORY = "history"
NAME_BYTES = 16
_BOUND = 1 << 63
_TIMES = ("observed_at", "wait_expires_at", "progress_until")
_KIND_OF = {cls: kind for kind, cls in KINDS.items()}


class Row(NamedTuple):
    """``fact``: the first 128 bits of the record's SHA-256. ``observed_at``: nanoseconds since 1970; None where the
    record says none, or a time before 1677 or after 2262, for which there is no room. ``shared``: digests of what
    other operations may share."""

    operation_id: str | None
    fact: bytes
    kind: str
    observed_at: int | None
    record: str
    shared: list[bytes]


def schema(said: bytes | None = None) -> pa.Schema:
    import pyarrow as pa

    columns = [
        pa.field("operation_id", pa.string()),
        pa.field("fact", pa.binary()),
        pa.field("kind", pa.string()),
        pa.field("observed_at", pa.int64()),
        pa.field("record", pa.string()),
        pa.field("shared", pa.list_(pa.binary())),
    ]
    return pa.schema(columns, metadata=None if said is None else {SAID: said})


def table(rows: Iterable[Row]) -> pa.Table:
    import pyarrow as pa

    columns = list(zip(*rows, strict=True)) or [()] * len(Row._fields)
    return pa.table([list(column) for column in columns], schema=schema())


def row_of(operation_id: str | None, packed: Packed, places: Places) -> Row:
    """The row of a fact or a gap. Raises ValueError for what no record can say, which no reader gives."""
    fact = unpack(operation_id, packed)
    try:
        record = written(fact)[0]
    except (TypeError, OverflowError) as wrong:
        raise ValueError(str(wrong)) from None
    shared = [] if isinstance(fact, Gap) else [_digest(value) for value in shareable(packed, places)]
    return Row(operation_id, _name(record), _KIND_OF[type(fact)], _at(fact.observed_at), record.decode(), shared)


def row_of_history(history: History) -> Row:
    said = {name: value for name, value in asdict(history).items() if value is not None}
    said |= {name: sorted(value) for name, value in said.items() if isinstance(value, frozenset)}
    said |= {name: rfc3339(said[name]) for name in _TIMES if name in said}
    record = orjson.dumps({"kind": HISTORY, **said}, option=orjson.OPT_SORT_KEYS)
    return Row(None, _name(record), HISTORY, _at(history.observed_at), record.decode(), [])


def packed_of(operation_id: str, record: str) -> Packed:
    """The fact of a row. One that can't be read leaves doubt about its operation, and nothing else."""
    try:
        said: dict[str, Any] = orjson.loads(record)
        about, packed = form_of(said).read(said)
        if about == operation_id:
            return packed
    except (Unusable, ValueError, TypeError, KeyError):
        pass
    return pack(Unreadable(operation_id=operation_id, observed_at=0, field="archived record"))


def _at(time: int | None) -> int | None:
    return time if time is not None and -_BOUND <= time < _BOUND else None


def _name(record: bytes) -> bytes:
    return sha256(record).digest()[:NAME_BYTES]


def _digest(value: str) -> bytes:
    return blake2b(value.encode("utf-8", "surrogatepass"), digest_size=NAME_BYTES).digest()
