"""How an audit is done: with all facts at hand, from archives one operation at a time, or in parts."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time_ns

from counterfoil.archives.finding import Found
from counterfoil.archives.needs import MissingExtra
from counterfoil.auditing.intake import Intake
from counterfoil.auditing.judging import judgements
from counterfoil.auditing.parts import Asked, Audited
from counterfoil.auditing.replays import history_judgements
from counterfoil.auditing.taking_in import take_in
from counterfoil.auditing.tally import Tally
from counterfoil.auditing.told import Recorded, told
from counterfoil.cli.against import Against
from counterfoil.cli.inputs import say, say_left_out
from counterfoil.cli.output import Output, as_json, as_lines, as_table
from counterfoil.cli.pages import drawing_too
from counterfoil.cli.progress import reading
from counterfoil.config import Config
from counterfoil.judge import Judgement

Done = tuple[Intake, Tally]
"""What was met, and what it came to. All of it is written by then."""


@dataclass(frozen=True, slots=True)
class Audit:
    """The command's own options."""

    found: Found
    json: bool
    ndjson: bool
    rows: int
    html: Path | None
    against: Against | None
    memory_mib: int

    @property
    def as_records(self) -> bool:
        return self.json or self.ndjson or self.against is not None

    def output(self, now: int) -> Output:
        if self.against is not None:
            return self.against
        write: Output = as_json if self.json else as_lines if self.ndjson else as_table(self.rows)
        return write if self.html is None else drawing_too(self.html, write, now)


def at_hand(audit: Audit) -> Done:
    """All facts in memory at once, which is the quickest as long as they fit."""
    config, problems = Config.load()
    with reading(audit.found.size) as progress:
        intake = take_in(audit.found.sources, config, progress)
    gc.freeze()  # what was read stays until the end: nobody need look at it again
    return intake, _judged(audit, intake, judgements(intake), config, problems)


def from_archives(audit: Audit) -> Done:
    """One operation at a time."""
    from counterfoil.archives.reading import opened

    config, problems = Config.load()
    with _archived(audit, config) as (files, met):
        if met is not None:
            return met, _judged(audit, met, (), config, problems)
        with opened(files, audit.memory_mib) as archives:
            return archives.intake, _judged(audit, archives.intake, archives.judgements(), config, problems)


def by_all_cores(audit: Audit) -> Done:
    """In processes: over partitions that they make of lines, or over parts of archives."""
    if audit.found.in_order:
        from counterfoil.archives import parallel as archives

        return _in_parts(audit, partial(archives.audited, memory_mib=audit.memory_mib))
    from counterfoil.auditing import parallel

    config, problems = Config.load()
    with ExitStack() as stack:
        with reading(audit.found.size) as progress:
            work = stack.enter_context(parallel.audited(audit.found.sources, _asked(audit, config), progress))
        return _written(audit, work, problems)


def on_spark(audit: Audit) -> Done:
    try:
        from counterfoil.engines.audit import audited
    except ImportError as missing:
        raise MissingExtra(missing.name or "pyspark", "spark") from None
    return _in_parts(audit, audited)


def _in_parts(audit: Audit, audited: Callable[[Sequence[str], Asked], AbstractContextManager[Audited]]) -> Done:
    config, problems = Config.load()
    with _archived(audit, config) as (files, met):
        if met is not None:
            return met, _judged(audit, met, (), config, problems)
        with audited(files, _asked(audit, config)) as work:
            return _written(audit, work, problems)


@contextmanager
def _archived(audit: Audit, config: Config) -> Iterator[tuple[list[str], Intake | None]]:
    """The archives. What lies in files of lines becomes one first, for as long as this takes; where nothing in them can
    be used, and nothing else is there, what was met is all there is."""
    from counterfoil.archives.writing import archived

    files, found = list(audit.found.archives), audit.found.sources
    with ExitStack() as stack:
        met: Intake | None = None
        if found:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="counterfoil-")))
            with reading(audit.found.size) as progress:
                path, met = archived(found, folder, config, memory_mib=audit.memory_mib, progress=progress)
            files += [str(path)] if path is not None else []
        yield files, None if files else met


def _asked(audit: Audit, config: Config) -> Asked:
    return Asked(config, time_ns(), None if audit.as_records else audit.rows)


def _judged(
    audit: Audit, intake: Intake, found: Iterable[Judgement], config: Config, problems: Iterable[object]
) -> Tally:
    _say(problems, intake)
    tally, now = Tally(), time_ns()
    tally.of_intake(intake)
    histories = tally.passing_histories(history_judgements(intake))
    operations = tally.passing(told(judged, now, config) for judged in found)
    audit.output(now)(operations, histories, intake, tally)
    return tally


def _written(audit: Audit, work: Audited, problems: Iterable[object]) -> Done:
    _say(problems, work.intake)
    histories = work.tally.passing_histories(history_judgements(work.intake))
    if audit.as_records:
        records = (Recorded(name, record) for name, record in work.records)
        write = audit.against or (as_json if audit.json else as_lines)
        write(records, histories, work.intake, work.tally)
    else:
        as_table(audit.rows)(work.worst, histories, work.intake, work.tally)
    return work.intake, work.tally


def _say(problems: Iterable[object], intake: Intake) -> None:
    for problem in problems:
        say(str(problem))
    say_left_out(intake)
