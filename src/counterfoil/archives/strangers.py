"""Parquet that others wrote: a column of lines is read like a file of lines.

The column is ``record``, each an evidence record, or ``value``, as Spark calls a line of text; what a line may be is
said where files are read (`auditing.taking_in`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from counterfoil.auditing.sources import Source

COLUMNS = ("record", "value")
AT_ONCE = 4_096


@dataclass(frozen=True, slots=True)
class Lines(Source):
    """A Parquet file, by its column of lines. One without such a column is a stream that broke at once.

    ``path``: where it lies, if not under its name."""

    path: str = ""

    def chunks(self, progress: Callable[[int], None] = lambda read: None) -> Iterator[bytes]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            file = pq.ParquetFile(self.path or self.name)
            column = next((name for name in COLUMNS if name in file.schema_arrow.names), None)
            if column is None:
                raise OSError(0, f"Parquet without a column {' or '.join(COLUMNS)}")
            for batch in file.iter_batches(AT_ONCE, columns=[column]):
                yield b"".join(_line(value) + b"\n" for value in batch.column(0).to_pylist() if value is not None)
            progress(self.size)
        except pa.ArrowException as broken:
            raise OSError(0, type(broken).__name__) from None


def _line(value: object) -> bytes:
    said = value.encode() if isinstance(value, str) else value
    return said.replace(b"\n", b" ") if isinstance(said, bytes) else b""
