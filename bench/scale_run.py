"""One run of one engine in a process of its own: `python -m bench.scale_run ENGINE --partitions N PHASE…`.

A phase is a folder of files; the next begins when the verdicts of one are told. Prints what it came to, as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import orjson

from bench.scale_cpu import cpu_s
from bench.scale_facts import digest, mark
from bench.scale_ledger import Marks, by_processes, in_process
from counterfoil.auditing.parts import Asked
from counterfoil.config import Config

Phases = Sequence[Sequence[Path]]
Run = Callable[[Phases, int], tuple[float, str]]
"""Given phases and a number of partitions: CPU seconds, and the digest of what was said."""


def audit(phases: Phases, partitions: int) -> tuple[float, str]:
    return _audited(phases, ())


def audit_local(phases: Phases, partitions: int) -> tuple[float, str]:
    return _audited(phases, ("--engine", "local"))


def sqlite(phases: Phases, partitions: int) -> tuple[float, str]:
    with tempfile.TemporaryDirectory() as folder:
        before = cpu_s()
        marks = in_process(f"sqlite:///{folder}/ledger.db", phases)
        return cpu_s() - before, _digest(marks)


def postgres(phases: Phases, partitions: int) -> tuple[float, str]:
    """The server is on this machine, and its CPU time counts."""
    from tests.ledger.postgres import running

    with running("shared_buffers=512MB", "max_wal_size=4GB") as server:
        url = server.fresh()
        before = cpu_s()
        marks = by_processes(url, phases, partitions)
        return cpu_s() - before, _digest(marks)


def archive(phases: Phases, partitions: int) -> tuple[float, str]:
    with _archived(phases) as path:
        return _audited([[path]], ())


def archive_local(phases: Phases, partitions: int) -> tuple[float, str]:
    with _archived(phases) as path:
        return _audited([[path]], ("--engine", "local"))


def archive_spark(phases: Phases, partitions: int) -> tuple[float, str]:
    """In this process, and with a session that lasts: a JVM that ended by itself takes its CPU time with it."""
    from bench.scale_spark import CONF
    from counterfoil.engines.audit import audited
    from counterfoil.engines.spark import session

    os.environ["PYSPARK_PYTHON"] = sys.executable
    with _archived(phases) as path:
        before = cpu_s()
        session("bench", CONF)
        with audited([str(path)], Asked(Config(), time.time_ns(), None)) as work:
            said = digest(mark({**orjson.loads(record), "operation_id": name}) for name, record in work.records)
        return cpu_s() - before, said


ENGINES: Mapping[str, Run] = {
    "audit": audit,
    "audit-local": audit_local,
    "sqlite": sqlite,
    "postgres": postgres,
    "archive": archive,
    "archive-local": archive_local,
    "archive-spark": archive_spark,
}


@contextmanager
def _archived(phases: Phases) -> Iterator[Path]:
    """An archive of these files; what it costs to make one is not counted."""
    files = [str(path) for paths in phases for path in paths]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "counterfoil", "archive", *files, "--to", folder]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        yield next(Path(folder).iterdir())


def _audited(phases: Phases, options: Sequence[str]) -> tuple[float, str]:
    """An audit reads what there is, so that what comes late is read with all the rest."""
    files = [str(path) for paths in phases for path in paths]
    with ExitStack() as stack:
        output = stack.enter_context(tempfile.TemporaryFile())
        before = cpu_s()
        command = [sys.executable, "-m", "counterfoil", "audit", *files, "--ndjson", *options]
        subprocess.run(command, stdout=output, stderr=subprocess.DEVNULL, check=True)
        used = cpu_s() - before
        output.seek(0)
        return used, digest(mark(orjson.loads(line)) for line in output)


def _digest(marks: Marks) -> str:
    return digest(said for _, said in marks.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine", choices=list(ENGINES))
    parser.add_argument("--partitions", type=int, default=1)
    parser.add_argument("phases", nargs="+", type=Path)
    asked = parser.parse_args()
    phases = [sorted(folder.glob("*.ndjson")) for folder in asked.phases]
    began = time.monotonic()
    used, said = ENGINES[asked.engine](phases, asked.partitions)
    print(json.dumps({"cpu_s": used, "wall_s": time.monotonic() - began, "digest": said}))


if __name__ == "__main__":
    main()
