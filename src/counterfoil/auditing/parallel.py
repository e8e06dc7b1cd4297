"""An audit by all cores: sources are read by processes into partitions, and partitions are judged by processes.

It says what the audit in one process says, to the byte. Memory is bounded by the largest partition a process, by the
operations that share something, and by the spans, whose traces can only be read whole and in order: in one process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from counterfoil.auditing.intake import Facts, Intake
from counterfoil.auditing.judging import judgements
from counterfoil.auditing.neighbours import grouped
from counterfoil.auditing.partitions import Near, Spilling, bring_together, operations_in, pairs
from counterfoil.auditing.parts import Asked, Audited, Part, merged, said, write_down
from counterfoil.auditing.replays import concerned
from counterfoil.auditing.sources import STDIN, Source
from counterfoil.auditing.taking_in import Progress, Reader, uncollected
from counterfoil.config import Config
from counterfoil.reading.spans import Reading
from counterfoil.reading.traces import Traces, read_traces
from counterfoil.reading.views import SpanSeen

PARTITION_BYTES = 32 * 1024 * 1024
"""So much of the sources goes into one partition, where their size is known."""


@dataclass(slots=True)
class _Read:
    """What one source came to, beside the facts that are on disk."""

    gaps: Facts
    skips: dict[bytes, tuple[str, str]]
    understood: int
    unlisted: int
    histories: dict[str, set[object]]
    spans: list[SpanSeen]


@contextmanager
def audited(
    sources: Sequence[Source], asked: Asked, progress: Progress = lambda read: None, *, processes: int = 0
) -> Iterator[Audited]:
    """The audit of these sources, by so many processes (0: one for each core). Raises OSError where one can't be read.

    Standard input is read by this process.
    """
    count = processes or cores()
    partitions = max(count, sum(source.size for source in sources) // PARTITION_BYTES + 1)
    with (
        TemporaryDirectory(prefix="counterfoil-") as name,
        ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool,
    ):
        folder, everywhere = Path(name), range(partitions)
        intake = _taken_in(pool, folder, sources, partitions, asked.config, progress)
        found = pool.map(pairs, [folder] * partitions, everywhere)
        near = grouped(pair for some in found for pair in some)
        if near:
            list(pool.map(_bring, [(folder, number, partitions, near) for number in everywhere]))
        whole = Part()
        jobs = [(folder, number, partitions, near, asked, intake) for number in everywhere]
        for part in pool.map(_judge, jobs):
            whole.add(part)
        yield whole.audited(intake, merged(folder, partitions))


def _taken_in(  # noqa: PLR0917 -- private, and called once
    pool: ProcessPoolExecutor,
    folder: Path,
    sources: Sequence[Source],
    partitions: int,
    config: Config,
    progress: Progress,
) -> Intake:
    """Everything but the facts about operations, which are on disk then. Sources count in their order."""
    jobs: list[Callable[[], _Read]] = []
    for number, source in enumerate(sources):
        if source.name == STDIN:
            here = _read(folder, number, source, partitions)
            jobs.append(lambda here=here: here)  # type: ignore[misc]  # the result is bound now
        else:
            jobs.append(pool.submit(_read, folder, number, source, partitions).result)
    intake, traces = Intake(), Traces()
    for job, source in zip(jobs, sources, strict=True):
        read = job()
        progress(source.size)
        intake.gaps |= read.gaps
        intake.understood += read.understood
        intake.unlisted += read.unlisted
        for digest, (where, what) in read.skips.items():
            intake.skip(where, what, digest)
        for name, lists in read.histories.items():
            intake.histories.setdefault(name, set()).update(lists)  # type: ignore[arg-type]
        for span in read.spans:
            traces.add(span)
    with uncollected():
        reading, own = Reading(config), Spilling(folder, len(sources), partitions)
        intake.spilled = read_traces(traces, reading, own.add_fact)
        own.spill()
        intake.read = reading.read
        intake.gaps |= own.gaps
    return intake


def cores() -> int:
    """Those that this process may use, which in a container are fewer than there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _read(folder: Path, number: int, source: Source, partitions: int) -> _Read:
    own = Spilling(folder, number, partitions)
    reader = Reader(intake=own)
    with uncollected():
        reader.read(source, lambda read: None)
        own.spill()
    spans = [span for trace in reader.traces.by_id.values() for span in trace.values()]
    return _Read(own.gaps, own.skips, own.understood, own.unlisted, dict(own.histories), spans)  # type: ignore[arg-type]


def _bring(job: tuple[Path, int, int, Near]) -> None:
    bring_together(*job)


def _judge(job: tuple[Path, int, int, Near, Asked, Intake]) -> Part:
    folder, number, partitions, near, asked, known = job
    part = Part()
    with uncollected():
        mine = Intake(operations=operations_in(folder, number, partitions, near), gaps=known.gaps)
        write_down(folder, number, said(judgements(mine), asked, part))
        part.concerned = concerned(mine.operations, known.histories)
    return part
