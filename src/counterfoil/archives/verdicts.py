"""The verdicts of an earlier judge, out of Parquet with a row for each revision, such as the job on Spark writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from counterfoil.archives.needs import MEMORY_MIB, sorting
from counterfoil.auditing.changes import OPERATION, Named, Verdicts

AT_ONCE = 8_192
COLUMNS = frozenset({"operation_id", "revision", "verdict", "outcome", "findings", "reason"})

_LAST = """
    SELECT operation_id, unnest(max_by(
        struct_pack(verdict := verdict, outcome := outcome, findings := findings, reason := reason), revision
    )) FROM read_parquet($files) GROUP BY operation_id ORDER BY operation_id
"""


def files_of(path: Path) -> list[str]:
    """The Parquet at or under a path; what begins with a dot or an underscore is the writer's own."""
    found = [path] if path.is_file() else sorted(path.rglob("*.parquet"))
    return [str(file) for file in found if not file.name.startswith((".", "_"))]


def judged(path: Path, memory_mib: int = MEMORY_MIB) -> Iterator[tuple[Named, Verdicts]]:
    """The last revision of each operation, in the order of their names. Raises `MissingExtra`, and ValueError for
    Parquet that holds no verdicts."""
    with sorting(memory_mib) as (database, _):
        files = files_of(path)
        if not files:
            raise ValueError(f"there is no Parquet under {path}")
        columns = database.sql("FROM read_parquet($files) LIMIT 0", params={"files": files}).columns
        if missing := COLUMNS.difference(columns):
            raise ValueError(f"{path} holds no verdicts: it has no column {', '.join(sorted(missing))}")
        for batch in database.sql(_LAST, params={"files": files}).to_arrow_reader(AT_ONCE):
            for row in batch.to_pylist():
                yield (OPERATION, row["operation_id"]), Verdicts.read(row)
