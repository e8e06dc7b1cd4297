"""An audit of archives by all cores: each process sorts and judges a part of the operations.

Each has its share of the memory for sorting, and reads all rows to keep those of its part, which costs little beside
judging them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from counterfoil.archives.judging import records
from counterfoil.archives.needs import LEAST_MIB, MEMORY_MIB
from counterfoil.archives.reading import Homes, opened
from counterfoil.auditing.judging import gaps_of
from counterfoil.auditing.parallel import cores
from counterfoil.auditing.parts import Asked, Audited, Part, merged, write_down


@contextmanager
def audited(
    files: Sequence[str], asked: Asked, memory_mib: int = MEMORY_MIB, *, processes: int = 0
) -> Iterator[Audited]:
    """The audit of these archives, by so many processes (0: one for each core). Raises OSError, `MissingExtra` and
    `TooNew`."""
    parts = processes or cores()
    each_mib = max(LEAST_MIB, memory_mib // parts)
    with opened(files, memory_mib) as archives:
        intake, homes = archives.intake, archives.homes()
    with (
        TemporaryDirectory(prefix="counterfoil-") as name,
        ProcessPoolExecutor(parts, mp_context=get_context("spawn")) as pool,
    ):
        folder, whole = Path(name), Part()
        for part in pool.map(partial(_judged, folder, files, homes, asked, each_mib, parts), range(parts)):
            whole.add(part)
        yield whole.audited(intake, merged(folder, parts))


def _judged(  # noqa: PLR0917 -- private, and called once
    folder: Path, files: Sequence[str], homes: Homes, asked: Asked, memory_mib: int, parts: int, number: int
) -> Part:
    part = Part()
    with opened(files, memory_mib) as archives:
        rows, intake = archives.rows(homes, number, parts), archives.intake
        write_down(folder, number, records(rows, gaps_of(intake), intake.histories, asked, part))
    return part
