"""Writing an archive: facts in any order become one Parquet file, sorted by operation, each fact once.

Memory holds `AT_ONCE` facts, gaps, message lists, the spans that were met (a trace is read whole), and what DuckDB may
hold to sort. A file appears whole or not at all, under a name made from what it holds: the same sources give the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

from counterfoil.archives.footer import said_by, take_over, written_of
from counterfoil.archives.needs import MEMORY_MIB, sorting
from counterfoil.archives.rows import Row, row_of, row_of_history, schema, table
from counterfoil.auditing.intake import Intake
from counterfoil.auditing.neighbours import Places
from counterfoil.auditing.sources import Source
from counterfoil.auditing.taking_in import Progress, Reader, uncollected
from counterfoil.config import Config
from counterfoil.packed import Packed
from counterfoil.reading.spans import Reading
from counterfoil.reading.traces import read_traces

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

AT_ONCE = 50_000
"""So many facts are held before they are put aside, sorted."""

GROUP = 65_536
"""Rows of a row group: what a reader of the archive has in hand at one time."""

READABLE = 0o644
_SORTED = """
    SELECT DISTINCT operation_id, fact, kind, observed_at, record, shared FROM read_parquet($parts)
    ORDER BY operation_id NULLS FIRST, fact
"""


class Gathering(Intake):
    """An intake that keeps no facts about operations: they go to files, each sorted."""

    __slots__ = ("_folder", "_held", "parts")

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._folder = folder
        self._held = 0

    def add(self, operation_id: str | None, packed: Packed) -> None:
        Intake.add(self, operation_id, packed)
        self._held += 1
        if self._held >= AT_ONCE:
            self.put_aside()

    def put_aside(self) -> None:
        places: Places = {}
        self._write(row_of(name, packed, places) for name, facts in self.operations.items() for packed in facts)
        self.operations.clear()
        self._held = 0

    def end(self) -> None:
        """Put aside the rest, with all that belongs to no operation."""
        self.put_aside()
        self._write(row_of(None, gap, {}) for gap in self.gaps)
        self._write(row_of_history(history) for lists in self.histories.values() for history in lists)

    def _write(self, rows: Iterable[Row]) -> None:
        import pyarrow.parquet as pq

        path = str(self._folder / f"part-{len(self.parts)}.parquet")
        pq.write_table(table(rows), path, compression="zstd")
        self.parts.append(path)


def archived(
    sources: Iterable[Source],
    folder: Path,
    config: Config,
    *,
    archives: Sequence[str] = (),
    memory_mib: int = MEMORY_MIB,
    progress: Progress = lambda read: None,
) -> tuple[Path | None, Intake]:
    """Write what these sources, and archives by their paths, hold as one archive into a folder, which is made where it
    isn't there.

    Answers with the file, None where nothing could be used, and with what was met beside facts. Raises OSError where
    one can't be read or the folder not be written, `MissingExtra` and `TooNew`.
    """
    with sorting(memory_mib) as (database, scratch):
        own = Gathering(scratch)
        reader = Reader(intake=own)
        with uncollected():
            for source in sources:
                reader.read(source, progress)
            own.spilled = read_traces(reader.traces, Reading(config), own.add_fact)
            own.end()
        for path in archives:
            if (said := said_by(Path(path))) is not None:
                take_over(own, said)
        if not own.understood:
            return None, own
        folder.mkdir(parents=True, exist_ok=True)
        parts = [*own.parts, *archives]
        return _written(database, parts, folder, written_of(own)), own


def _written(database: DuckDBPyConnection, parts: list[str], folder: Path, said: bytes) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    digest = blake2b(said, digest_size=8)
    rows = database.sql(_SORTED, params={"parts": parts}).to_arrow_reader(GROUP)
    with NamedTemporaryFile(prefix=".facts-", dir=folder, delete=False) as file:
        try:
            with pq.ParquetWriter(file, schema(said), compression="zstd") as writer:
                for batch in rows:
                    digest.update(b"".join(batch.column("fact").to_pylist()))
                    writer.write_table(pa.Table.from_batches([batch]).cast(schema(said)))
            file.flush()
            os.fsync(file.fileno())
            path = folder / f"facts-{digest.hexdigest()}.parquet"
            os.chmod(file.name, READABLE)
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise
    return path
