"""`counterfoil audit`: judge what files hold."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time_ns
from typing import Annotated

import typer

from counterfoil.archives.finding import Found
from counterfoil.archives.needs import MEMORY_MIB
from counterfoil.auditing.intake import Intake
from counterfoil.auditing.judging import judgements
from counterfoil.auditing.replays import history_judgements
from counterfoil.auditing.taking_in import take_in
from counterfoil.auditing.tally import Tally
from counterfoil.auditing.told import WORDS, Recorded, told
from counterfoil.cli.against import Against, Form
from counterfoil.cli.archive import MemoryOption
from counterfoil.cli.inputs import looked_up, say, say_left_out, usable
from counterfoil.cli.output import Output, as_json, as_lines, as_table
from counterfoil.cli.pages import HtmlOption, drawing_too
from counterfoil.cli.progress import reading
from counterfoil.config import Config
from counterfoil.judge import Judgement

FAILED, NOTHING = 1, 3  # 2 is a usage error


class Engine(StrEnum):
    """What an audit runs on, beside this process alone."""

    LOCAL = "local"


app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def audit(  # noqa: PLR0917 -- each is an option by name
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH", help="Files, folders, s3://…, clickhouse://…, or - for standard input; gzip too."
        ),
    ],
    json: Annotated[bool, typer.Option("--json", help="One JSON object with everything.")] = False,
    ndjson: Annotated[bool, typer.Option("--ndjson", help="One JSON object a line for each operation.")] = False,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(help="Verdicts or findings, by comma, that make the exit code 1 wherever they were found."),
    ] = None,
    rows: Annotated[int, typer.Option(min=0, help="So many rows of the table, the worst first; 0: all.")] = 200,
    html: HtmlOption = None,
    engine: Annotated[
        Engine | None, typer.Option(help="local: by all cores, over partitions on disk, in bounded memory.")
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="What an earlier audit --ndjson wrote, or verdicts in Parquet: only changes."
        ),
    ] = None,
    memory: MemoryOption = MEMORY_MIB,
) -> None:
    """Judge the operations that evidence or telemetry tells of, and the message lists about to be replayed.

    PATH holds evidence (NDJSON), OTLP JSON lines as the collector's file exporter writes them, or Parquet as
    `counterfoil archive` writes it, in any mixture and order; clickhouse://user@host/database is the table of facts
    that `counterfoil export collector` has the SQL for, with the password in CLICKHOUSE_PASSWORD; s3://bucket/prefix is
    read as a folder is, with credentials, region and endpoint from AWS's own variables. What can't be used is named on
    standard error. --html draws the operations that need attention, too, as a page that needs no network. --engine
    local says the same, to the byte. --against prints only what is said otherwise than before: verdict, outcome,
    findings, reason, not severity. Exit codes: 0 done; 1 something that --fail-on names was found, or something
    changed; 2 usage; 3 nothing could be parsed, or an extra isn't installed.
    """
    watched = _watched(fail_on or [])
    if json and ndjson:
        raise typer.BadParameter("choose one of --json and --ndjson", param_hint="--json")
    if html is not None and (engine is not None or against is not None):
        why = "a drawing needs all facts at hand; leave out --engine and --against"
        raise typer.BadParameter(why, param_hint="--html")
    form = Form.JSON if json else Form.LINES if ndjson else Form.WORDS
    compared = None if against is None else Against(against, form, memory)
    with looked_up(paths) as found:
        asked = _Asked(found, json, ndjson, rows, html, compared, memory)
        if engine is not None and found.archives:
            why = "archives are sorted already, and judged by one process; leave out --engine, or name files of lines"
            raise typer.BadParameter(why, param_hint="--engine")
        with usable("PATH"):
            run = _by_all_cores if engine is not None else _from_archives if found.in_order else _at_hand
            intake, tally = run(asked)
    if not intake.understood:
        raise typer.Exit(NOTHING)
    if watched & tally.words or (compared is not None and compared.changed):
        raise typer.Exit(FAILED)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The command's own options."""

    found: Found
    json: bool
    ndjson: bool
    rows: int
    html: Path | None
    against: Against | None
    memory_mib: int

    def output(self, now: int) -> Output:
        if self.against is not None:
            return self.against
        write: Output = as_json if self.json else as_lines if self.ndjson else as_table(self.rows)
        return write if self.html is None else drawing_too(self.html, write, now)


def _at_hand(asked: _Asked) -> tuple[Intake, Tally]:
    """All facts in memory at once, which is the quickest as long as they fit."""
    config, problems = Config.load()
    with reading(asked.found.size) as progress:
        intake = take_in(asked.found.sources, config, progress)
    gc.freeze()  # what was read stays until the end: nobody need look at it again
    return intake, _judged(asked, intake, judgements(intake), config, problems)


def _from_archives(asked: _Asked) -> tuple[Intake, Tally]:
    """One operation at a time. What lies in files of lines is archived first, for as long as this takes."""
    from counterfoil.archives.reading import opened
    from counterfoil.archives.writing import archived

    config, problems = Config.load()
    with ExitStack() as stack:
        files = list(asked.found.archives)
        if asked.found.sources:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="counterfoil-")))
            with reading(asked.found.size) as progress:
                found, memory_mib = asked.found.sources, asked.memory_mib
                path, met = archived(found, folder, config, memory_mib=memory_mib, progress=progress)
            files += [path] if path is not None else []
            if not files:
                return met, _judged(asked, met, (), config, problems)
        archives = stack.enter_context(opened(files, asked.memory_mib))
        return archives.intake, _judged(asked, archives.intake, archives.judgements(), config, problems)


def _judged(
    asked: _Asked, intake: Intake, found: Iterable[Judgement], config: Config, problems: Iterable[object]
) -> Tally:
    for problem in problems:
        say(str(problem))
    say_left_out(intake)
    tally, now = Tally(), time_ns()
    tally.of_intake(intake)
    histories = tally.passing_histories(history_judgements(intake))
    operations = tally.passing(told(judged, now, config) for judged in found)
    asked.output(now)(operations, histories, intake, tally)
    return tally


def _by_all_cores(asked: _Asked) -> tuple[Intake, Tally]:
    from counterfoil.auditing.parallel import Asked, audited

    config, problems = Config.load()
    as_records = asked.json or asked.ndjson or asked.against is not None
    with ExitStack() as stack:
        with reading(asked.found.size) as progress:
            wanted = Asked(config, time_ns(), None if as_records else asked.rows)
            work = stack.enter_context(audited(asked.found.sources, wanted, progress))
        for problem in problems:
            say(str(problem))
        say_left_out(work.intake)
        histories = work.tally.passing_histories(history_judgements(work.intake))
        if as_records:
            records = (Recorded(name, record) for name, record in work.records)
            write = asked.against or (as_json if asked.json else as_lines)
            write(records, histories, work.intake, work.tally)
        else:
            as_table(asked.rows)(work.worst, histories, work.intake, work.tally)
    return work.intake, work.tally


def _watched(fail_on: list[str]) -> frozenset[str]:
    words = {word.strip() for listed in fail_on for word in listed.split(",") if word.strip()}
    for word in sorted(words.difference(WORDS)):
        raise typer.BadParameter(f"{word!r} is no verdict; choose from {', '.join(WORDS)}", param_hint="--fail-on")
    return frozenset(words)
