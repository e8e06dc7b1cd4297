"""Instructions that judging the partitions of an archive takes, one partition a process, counted by valgrind.

Seconds change with what else a machine does; instructions don't, to a few in ten thousand. So this is what says whether
the work grows with the number of partitions. Called as `python -m bench.scale_instructions FOLDER NUMBER OF`, it is
the process that is counted: it judges one partition as `counterfoil audit --engine local` does.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bench.scale_facts import even, laid_out, mark
from counterfoil.auditing.intake import Intake
from counterfoil.auditing.judging import judgements
from counterfoil.auditing.partitions import Spilling, operations_in
from counterfoil.auditing.sources import sources
from counterfoil.auditing.taking_in import Reader
from counterfoil.explain import as_record

VALGRIND = ("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")
COUNTED = re.compile(r"I\s+refs:\s+([\d,]+)")


@dataclass(frozen=True)
class Counted:
    """``total``: instructions of all partitions, without starting up. ``largest``: of the one that has most to do, as a
    multiple of the mean."""

    partitions: int
    total: int
    largest: float
    digest: str


def counted(facts: int, numbers: Sequence[int]) -> Iterator[Counted]:
    """The same facts in each of these numbers of partitions; nothing where the machine has no valgrind."""
    if shutil.which(VALGRIND[0]) is None:
        return
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = Path(name)
        laid_out(folder / "archive", even(facts), 1)
        (folder / "nothing").mkdir()
        start, _ = _counted(folder / "nothing", 0, 1)
        for partitions in numbers:
            parts = folder / str(partitions)
            parts.mkdir()
            _spilled(folder / "archive", parts, partitions)
            runs = [pool.submit(_counted, parts, number, partitions) for number in range(partitions)]
            done = [run.result() for run in runs]
            own = [instructions - start for instructions, _ in done]
            largest = max(own) * partitions / sum(own)
            yield Counted(partitions, sum(own), largest, f"{sum(marks for _, marks in done) % 2**64:016x}")


def _spilled(archive: Path, folder: Path, partitions: int) -> None:
    own = Spilling(folder, 0, partitions)
    for source in sources([str(archive)]):
        Reader(intake=own).read(source, lambda read: None)
    own.spill()


def _counted(folder: Path, number: int, partitions: int) -> tuple[int, int]:
    """Instructions, and the sum of the marks."""
    command = [*VALGRIND, sys.executable, "-m", "bench.scale_instructions", str(folder), str(number), str(partitions)]
    environment = os.environ | {"PYTHONHASHSEED": "0"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    said = COUNTED.search(done.stderr)
    if said is None:
        raise SystemExit(f"valgrind counted nothing: {done.stderr[-500:]}")
    return int(said[1].replace(",", "")), int(done.stdout)


def _judged(folder: Path, number: int, partitions: int) -> int:
    """The sum of the marks of a partition. Operations in this evidence share nothing; each is judged at home."""
    known = Intake(operations=operations_in(folder, number, partitions, {}))
    return sum(mark({"operation_id": one.operation.operation_id, **as_record(one)}) for one in judgements(known))


if __name__ == "__main__":
    print(_judged(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
