"""Judging from archives: rows in the order of their operations, folded one operation at a time.

Memory holds what DuckDB may hold to sort, the operation at hand, the names of operations that share something, and
those of one neighbourhood until each had its turn. What is shared is found by digests, generously, as in every audit
(`auditing.neighbours`), and whoever belongs together comes together.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from counterfoil.across import around
from counterfoil.archives.footer import said_by, take_over
from counterfoil.archives.needs import MEMORY_MIB, sorting
from counterfoil.archives.rows import HISTORY, packed_of
from counterfoil.auditing.intake import Facts, Intake
from counterfoil.auditing.judging import evidence, gaps_of
from counterfoil.auditing.neighbours import grouped
from counterfoil.auditing.replays import concerned
from counterfoil.judge import Judgement, judge
from counterfoil.operations import operation_from
from counterfoil.reading.evidence import form_of
from counterfoil.reading.histories import history_from

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

AT_ONCE = 8_192
"""Rows that are handed over at a time."""

LOOKED_AT = 1_000
"""Operations that are held, at most, until it is looked which of them message lists are about."""

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
    ORDER BY ALL
"""


@dataclass(slots=True)
class Archives:
    """``intake`` has all but the facts about operations; while judgements go by, it gets those that its message lists
    are about."""

    intake: Intake
    _database: DuckDBPyConnection
    _files: list[str]
    _seen: dict[str, Facts] = field(default_factory=dict)

    def judgements(self) -> Iterator[Judgement]:
        """Every operation, judged once, in the order of their names."""
        gaps = gaps_of(self.intake)
        held: list[tuple[str, Judgement]] = []
        for home, rows in groupby(self._rows(), key=itemgetter(0)):
            while held and held[0][0] < home:
                yield heapq.heappop(held)[1]
            together = {name: _facts(name, some) for name, some in groupby(rows, key=itemgetter(1))}
            self._keep(together)
            operations = [operation_from(name, evidence(name, facts)) for name, facts in together.items()]
            surroundings = around(operations, gaps)
            for operation in operations:
                heapq.heappush(held, (operation.operation_id, judge(operation, surroundings)))
        self._keep({}, 0)
        while held:
            yield heapq.heappop(held)[1]

    def _keep(self, together: dict[str, Facts], most: int = LOOKED_AT) -> None:
        """Keep what message lists are about. Looked for among many at a time: asking costs as much for one."""
        if self.intake.histories:
            self._seen |= together
            if len(self._seen) > most:
                self.intake.operations |= concerned(self._seen, self.intake.histories)
                self._seen.clear()

    def _rows(self) -> Iterator[tuple[str, str, str]]:
        import pyarrow as pa

        pairs = self._database.sql(_PAIRS, params={"files": self._files}).fetchall()
        near = grouped((str(one), str(other)) for one, other in pairs)
        homes = {"operation_id": list(near), "home": [names[0] for names in near.values()]}
        self._database.register("near", pa.table(homes, schema=pa.schema(dict.fromkeys(homes, pa.string()))))
        for batch in self._database.sql(_ROWS, params={"files": self._files}).to_arrow_reader(AT_ONCE):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


@contextmanager
def opened(files: Sequence[Path], memory_mib: int = MEMORY_MIB) -> Iterator[Archives]:
    """These archives as one. Raises OSError, `MissingExtra` and `TooNew`."""
    with sorting(memory_mib) as (database, _):
        intake = Intake()
        for path in files:
            if (said := said_by(path)) is not None:
                take_over(intake, said)
        archives = Archives(intake, database, list(map(str, files)))
        for (record,) in database.sql(_ALONE, params={"files": archives._files}).fetchall():
            _take_in(intake, orjson.loads(record))
        yield archives


def _take_in(intake: Intake, record: dict[str, Any]) -> None:
    if record["kind"] == HISTORY:
        intake.add_history(history_from(record))
    else:
        intake.add(*form_of(record).read(record))


def _facts(name: str, rows: Iterator[tuple[str, str, str]]) -> Facts:
    return {packed_of(name, record): None for _, _, record in rows}
