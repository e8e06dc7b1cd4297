"""What `counterfoil audit` costs: facts a second and peak memory; a million lines are read in `bench.others`.

Each run is a process of its own, from the start of the interpreter to the last line written. The audit's aim is 100,000
facts a second on one core and less than 400 MB for a million lines of 100,000 operations.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from bench.evidence import LINES_PER_OPERATION, lines
from bench.hostile import SHAPES
from bench.hostile import lines as hostile

RUNS = {1_000: 5, 10_000: 3}
"""How often each number of operations is audited; the best run counts."""


def audited(path: Path, *options: str) -> tuple[float, float]:
    """CPU seconds and peak megabytes of one audit."""
    command = [sys.executable, "-m", "counterfoil", "audit", str(path), *options]
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
    child = os.posix_spawn(sys.executable, command, os.environ, file_actions=quiet)
    _, status, used = os.wait4(child, 0)
    if status != 0:
        raise SystemExit(f"the audit ended with {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def written(path: Path, content: Iterable[bytes]) -> Path:
    with path.open("wb") as file:
        file.writelines(line + b"\n" for line in content)
    return path


def main() -> None:
    machine = f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}"
    print(f"{machine}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}; CPU time of the whole process")
    print(f"{'lines':>10} {'output':>8} {'CPU s':>8} {'lines/s':>10} {'MB':>7} {'us/line':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for operations, runs in RUNS.items():
            path = written(Path(folder) / "evidence.ndjson", lines(operations))
            number = operations * LINES_PER_OPERATION
            for output in ("table", "--json"):
                options = () if output == "table" else (output,)
                seconds, megabytes = min(audited(path, *options) for _ in range(runs))
                rate, each = number / seconds, 1e6 * seconds / number
                print(f"{number:>10,} {output:>8} {seconds:>8.2f} {rate:>10,.0f} {megabytes:>7.0f} {each:>8.1f}")
    print("\nEvidence made to be slow to judge: CPU microseconds a fact, start-up taken off")
    sizes = (2_000, 20_000)
    print(f"{'shape':<30}" + "".join(f"{size:>9,}" for size in sizes))
    with tempfile.TemporaryDirectory() as folder:
        nothing, _ = audited(written(Path(folder) / "nothing.ndjson", hostile("gaps", 2)))
        for shape in SHAPES:
            path = Path(folder) / "evidence.ndjson"
            costs = [audited(written(path, hostile(shape, size)))[0] - nothing for size in sizes]
            row = "".join(f"{1e6 * cost / size:>9.0f}" for cost, size in zip(costs, sizes, strict=True))
            print(f"{shape:<30}{row}", flush=True)


if __name__ == "__main__":
    main()
