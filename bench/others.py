"""The audit beside DuckDB and jq on the same file, and how each grows: `python -m bench.others [--largest LINES]`.

DuckDB and jq answer two of the audit's questions, by the shortest query that does: which operations have two effects
by name, and which keys were used with two payloads. They don't judge: no look is weighed, no receipt compared, no
reason given. Each run is a process of its own; CPU time, from the start of the process to its last line. jq is left
out where it is not on PATH.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bench.audit import written
from bench.evidence import LINES_PER_OPERATION, lines

SIZES = (1_000, 10_000, 100_000, 1_000_000)
RATIO_AT = 100_000
"""The ratios are taken at so many lines, or at the largest number that was asked for."""

FIELDS = ("kind", "operation_id", "effect_ref", "idempotency_key", "key_scope", "payload_hash")
COLUMNS = ", ".join(f"{name}: 'VARCHAR'" for name in FIELDS)
SQL = f"""
WITH facts AS MATERIALIZED (SELECT * FROM read_json($file, format = 'newline_delimited',
    columns = {{{COLUMNS}, authoritative: 'BOOLEAN'}}))
SELECT (SELECT count(*) FROM (SELECT operation_id FROM facts WHERE kind = 'effect' AND authoritative
                              GROUP BY 1 HAVING count(DISTINCT effect_ref) > 1)),
       (SELECT count(*) FROM (SELECT key_scope, idempotency_key FROM facts WHERE kind = 'attempt'
                              AND idempotency_key IS NOT NULL GROUP BY ALL HAVING count(DISTINCT payload_hash) > 1))
"""
JQ = """
[inputs | if .kind == "effect" and .authoritative and .effect_ref then ["e", .operation_id, .effect_ref]
          elif .kind == "attempt" and .idempotency_key and .payload_hash then
            ["k", "\\(.key_scope) \\(.idempotency_key)", .payload_hash]
          else empty end]
| unique | group_by(.[:2]) | map(select(length > 1) | .[0][0])
| [map(select(. == "e")), map(select(. == "k"))] | map(length | tostring) | join(" ")
"""
"""Sorted, which jq does faster than it fills an object."""


def commands(path: Path) -> dict[str, list[str]]:
    """Who is measured, and how each is called on a file."""
    found = {
        "audit": [sys.executable, "-m", "counterfoil", "audit", str(path)],
        "DuckDB": [sys.executable, "-m", "bench.others", "--duckdb", str(path)],
    }
    jq = shutil.which("jq")
    return found if jq is None else {**found, "jq": [jq, "-nr", JQ, str(path)]}


def spent(command: list[str]) -> tuple[float, float]:
    """CPU seconds and peak megabytes of one process. Raises SystemExit where it fails."""
    quiet = [(os.POSIX_SPAWN_OPEN, out, os.devnull, os.O_WRONLY, 0) for out in (1, 2)]
    _, status, used = os.wait4(os.posix_spawn(command[0], command, os.environ, file_actions=quiet), 0)
    if status != 0:
        raise SystemExit(f"{' '.join(command[:4])} … ended with {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def counted(path: Path) -> tuple[int, int]:
    """DuckDB's answers: operations with two effects, keys with two payloads."""
    import duckdb

    duplicates, conflicts = duckdb.execute(SQL, {"file": str(path)}).fetchall()[0]
    return int(duplicates), int(conflicts)


def versions() -> Mapping[str, str]:
    """As installed."""
    from importlib.metadata import version

    found = {"DuckDB": version("duckdb")}
    if jq := shutil.which("jq"):
        found["jq"] = subprocess.run([jq, "--version"], capture_output=True, text=True, check=True).stdout.strip()[3:]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    parser.add_argument("--duckdb", type=Path, metavar="FILE", help="only DuckDB's answers about this file")
    asked = parser.parse_args()
    if asked.duckdb is not None:
        print(*counted(asked.duckdb))
        return
    known = versions()
    beside = ", ".join(f"{name} {number}" for name, number in known.items())
    machine = f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}"
    print(f"{machine}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}; {beside}")
    if "jq" not in known:
        print("jq: left out, it is not on PATH")
    print(f"{'lines':>10} {'who':>8} {'CPU s':>9} {'MB':>7} {'us/line':>9}")
    sizes = [size for size in SIZES if size <= asked.largest]
    taken: dict[tuple[str, int], float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            path = written(Path(folder) / "evidence.ndjson", lines(size // LINES_PER_OPERATION))
            for who, command in commands(path).items():
                seconds, megabytes = min(spent(command) for _ in range(3 if size < RATIO_AT else 1))
                taken[who, size] = seconds
                each = 1e6 * seconds / size
                print(f"{size:>10,} {who:>8} {seconds:>9.3f} {megabytes:>7.0f} {each:>9.2f}", flush=True)
    at = min(RATIO_AT, sizes[-1])
    for who in commands(Path()):
        if who != "audit":
            print(f"audit to {who} at {at:,} lines: {taken['audit', at] / taken[who, at]:.2f}")
    growth = taken["audit", sizes[-1]] / sizes[-1] / (taken["audit", at] / at)
    print(f"audit, a line of {sizes[-1]:,} to one of {at:,}: {growth:.2f}")


if __name__ == "__main__":
    main()
