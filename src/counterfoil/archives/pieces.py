"""Archives read where they lie, a piece at a time, by whoever shares the work, on whatever machine.

A piece is a row group. An archive is named by its path, which everybody who reads must see, or by its address in a
bucket, which everybody must have the credentials for. Whatever goes wrong is an OSError in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import orjson

from counterfoil.archives.buckets import SCHEME, Service, in_words
from counterfoil.archives.footer import said_in

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

AT_ONCE = 8_192
"""Rows that are handed over at a time."""

Piece = tuple[str, int]
"""An archive's path or address, and the number of a row group in it."""


def said_at(address: str, service: Service) -> Mapping[str, Any] | None:
    """What an archive says of itself; None for Parquet of another's making. Raises `TooNew`."""
    with _file(address, service) as file:
        return said_in(file.schema_arrow.metadata, address)


def pieces(addresses: Iterable[str], service: Service) -> list[Piece]:
    """All of these archives."""
    found = []
    for address in addresses:
        with _file(address, service) as file:
            found += [(address, number) for number in range(file.num_row_groups)]
    return found


def batches(piece: Piece, columns: Sequence[str], service: Service) -> Iterator[pa.RecordBatch]:
    """The rows of a piece, of each these columns."""
    address, number = piece
    with _file(address, service) as file:
        yield from file.iter_batches(AT_ONCE, row_groups=[number], columns=list(columns))


def about_none(address: str, service: Service) -> Iterator[dict[str, Any]]:
    """The records that are about no operation: gaps and message lists. They come first in an archive."""
    with _file(address, service) as file:
        for batch in file.iter_batches(AT_ONCE, columns=["operation_id", "record"]):
            for row in batch.to_pylist():
                if row["operation_id"] is not None:
                    return
                yield orjson.loads(row["record"])


@contextmanager
def _file(address: str, service: Service) -> Iterator[pq.ParquetFile]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        if not address.startswith(SCHEME):
            with pq.ParquetFile(address) as file:
                yield file
            return
        with (
            in_words(address),
            service.client().open_input_file(address.removeprefix(SCHEME)) as stream,
            pq.ParquetFile(stream, pre_buffer=True) as file,
        ):
            yield file
    except pa.ArrowInvalid as broken:
        raise OSError(0, f"no sound Parquet ({type(broken).__name__})", address) from None
