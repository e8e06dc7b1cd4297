"""Judging from archives: DuckDB sorts their rows by operation, and hands them over a few thousand at a time.

Memory holds what DuckDB may hold to sort, what judging holds (`archives.judging`), and the names of operations that
share something. What is shared is found by digests, generously, as in every audit (`auditing.neighbours`), and whoever
belongs together comes together, and into one part where an archive is judged in parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from counterfoil.archives.footer import said_by, take_over
from counterfoil.archives.judging import Mentioned, Sorted, judgements
from counterfoil.archives.needs import MEMORY_MIB, sorting
from counterfoil.archives.rows import HISTORY
from counterfoil.auditing.intake import Intake
from counterfoil.auditing.judging import gaps_of
from counterfoil.auditing.neighbours import homes
from counterfoil.judge import Judgement
from counterfoil.reading.evidence import form_of
from counterfoil.reading.histories import history_from

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

AT_ONCE = 8_192
"""Rows that are handed over at a time."""

Homes = Mapping[str, str]
"""Of every operation that shares something, the first of its neighbourhood."""

_ALONE = "SELECT record FROM read_parquet($files) WHERE operation_id IS NULL"
_PAIRS = """
    WITH links AS (
        SELECT unnest(shared) AS link, operation_id FROM read_parquet($files) WHERE operation_id IS NOT NULL
    ), meetings AS (
        SELECT link, min(operation_id) AS first FROM links GROUP BY link HAVING min(operation_id) < max(operation_id)
    )
    SELECT DISTINCT first, operation_id FROM links JOIN meetings USING (link) WHERE operation_id <> first
"""
_ROWS = """
    SELECT coalesce(home, operation_id) AS home, operation_id, record
    FROM read_parquet($files) LEFT JOIN near USING (operation_id) WHERE operation_id IS NOT NULL
    AND hash(coalesce(home, operation_id)) % $parts = $part
    ORDER BY ALL
"""


@dataclass(slots=True)
class Archives:
    """``intake`` has all but the facts about operations; after the judgements went by, also those that its message
    lists are about."""

    intake: Intake
    _database: DuckDBPyConnection
    _files: list[str]

    def judgements(self) -> Iterator[Judgement]:
        """Every operation, judged once, in the order of their names."""
        mentioned = Mentioned(self.intake.histories)
        yield from judgements(self.rows(self.homes()), gaps_of(self.intake), mentioned.see)
        self.intake.operations |= mentioned.found()

    def homes(self) -> Homes:
        pairs = self._database.sql(_PAIRS, params={"files": self._files}).fetchall()
        return homes((str(one), str(other)) for one, other in pairs)

    def rows(self, homes: Homes, part: int = 0, parts: int = 1) -> Iterator[Sorted]:
        """All facts about operations, sorted; or one of so many parts of them."""
        import pyarrow as pa

        near = {"operation_id": list(homes), "home": list(homes.values())}
        self._database.register("near", pa.table(near, schema=pa.schema(dict.fromkeys(near, pa.string()))))
        wanted = {"files": self._files, "part": part, "parts": parts}
        for batch in self._database.sql(_ROWS, params=wanted).to_arrow_reader(AT_ONCE):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


@contextmanager
def opened(files: Sequence[str | Path], memory_mib: int = MEMORY_MIB) -> Iterator[Archives]:
    """These archives, by their paths, as one. Raises OSError, `MissingExtra` and `TooNew`."""
    with sorting(memory_mib) as (database, _):
        intake = Intake()
        for path in files:
            if (said := said_by(Path(path))) is not None:
                take_over(intake, said)
        archives = Archives(intake, database, list(map(str, files)))
        for (record,) in database.sql(_ALONE, params={"files": archives._files}).fetchall():
            take_in(intake, orjson.loads(record))
        yield archives


def take_in(intake: Intake, record: dict[str, Any]) -> None:
    """Add to an intake what a row says that is about no operation."""
    if record["kind"] == HISTORY:
        intake.add_history(history_from(record))
    else:
        intake.add(*form_of(record).read(record))
