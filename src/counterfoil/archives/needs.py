"""What an archive needs from outside, loaded when it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MEMORY_MIB = 512
"""How much DuckDB may hold to sort, unless it is told another number. Beyond, it writes to ``TMPDIR``."""

LEAST_MIB = 64
"""With less DuckDB can't sort a single part."""


class MissingExtra(Exception):
    """Something isn't installed; the message says which extra brings it."""

    def __init__(self, module: str, extra: str) -> None:
        super().__init__(f"{module} is not installed here; pip install 'counterfoil[{extra}]'")


@contextmanager
def sorting(memory_mib: int = MEMORY_MIB) -> Iterator[tuple[DuckDBPyConnection, Path]]:
    """A DuckDB in memory that spills, and the folder that it spills to, which is gone afterwards.

    It loads nothing from anywhere. Raises `MissingExtra`.
    """
    try:
        import duckdb
        import pyarrow  # noqa: F401 -- DuckDB hands rows over through it
    except ImportError as missing:
        raise MissingExtra(missing.name or "duckdb", "archive") from None
    with TemporaryDirectory(prefix="counterfoil-") as folder:
        settings: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": f"{memory_mib}MiB",
            "temp_directory": folder,
            "preserve_insertion_order": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        with duckdb.connect(config=settings) as database:
            # Where nobody runs a file, as in a process that multiprocessing has started, DuckDB takes itself for asked
            # by hand: it would draw how far a slow query is, on standard output.
            database.execute("SET enable_progress_bar = false")
            yield database, Path(folder)
