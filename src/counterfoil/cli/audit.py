"""`counterfoil audit`: judge what files hold."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from enum import StrEnum
from time import time_ns
from typing import Annotated

import typer

from counterfoil.auditing.intake import Intake
from counterfoil.auditing.judging import judgements
from counterfoil.auditing.replays import history_judgements
from counterfoil.auditing.sources import Source, sources
from counterfoil.auditing.taking_in import take_in
from counterfoil.auditing.tally import Tally
from counterfoil.auditing.told import WORDS, Recorded, told
from counterfoil.cli.output import Output, as_json, as_lines, as_table
from counterfoil.cli.pages import HtmlOption, drawing_too
from counterfoil.cli.progress import reading
from counterfoil.cli.terminal import printable
from counterfoil.config import Config

FAILED, NOTHING = 1, 3  # 2 is a usage error


class Engine(StrEnum):
    """What an audit runs on, beside this process alone."""

    LOCAL = "local"


app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def audit(  # noqa: PLR0917 -- each is an option by name
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH", help="Files, folders, or - for standard input; gzip too.")
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
) -> None:
    """Judge the operations that evidence or telemetry tells of, and the message lists about to be replayed.

    PATH holds evidence (NDJSON) or OTLP JSON lines as the collector's file exporter writes them, in any mixture and
    order. What can't be used is named on standard error. --html draws the operations that need attention, too, as a
    page that needs no network. --engine local says the same, to the byte. Exit codes: 0 done; 1 something that
    --fail-on names was found; 2 usage; 3 nothing could be parsed.
    """
    watched = _watched(fail_on or [])
    if json and ndjson:
        raise typer.BadParameter("choose one of --json and --ndjson", param_hint="--json")
    found = _sources(paths)
    config, problems = Config.load()
    if engine is not None:
        if html is not None:
            raise typer.BadParameter("a drawing needs all facts at hand; leave out --engine", param_hint="--html")
        intake, tally = _by_all_cores(found, config, problems, json, ndjson, rows)
        _end(intake, tally, watched)
        return
    with reading(sum(source.size for source in found)) as progress:
        intake = take_in(found, config, progress)
    gc.freeze()  # what was read stays until the end: nobody need look at it again
    for problem in problems:
        _say(str(problem))
    _say_left_out(intake)

    tally, now = Tally(), time_ns()
    tally.of_intake(intake)
    write: Output = as_json if json else as_lines if ndjson else as_table(rows)
    histories = tally.passing_histories(history_judgements(intake))
    operations = tally.passing(told(judged, now, config) for judged in judgements(intake))
    if html is None:
        write(operations, histories, intake, tally)
    else:
        drawing_too(html, write, now)(operations, histories, intake, tally)
    _end(intake, tally, watched)


def _by_all_cores(  # noqa: PLR0917 -- the command's own options
    found: list[Source], config: Config, problems: Iterable[object], json: bool, ndjson: bool, rows: int
) -> tuple[Intake, Tally]:
    from counterfoil.auditing.parallel import Asked, audited

    asked = Asked(config, time_ns(), None if json or ndjson else rows)
    with ExitStack() as stack:
        with reading(sum(source.size for source in found)) as progress:
            work = stack.enter_context(audited(found, asked, progress))
        for problem in problems:
            _say(str(problem))
        _say_left_out(work.intake)
        histories = work.tally.passing_histories(history_judgements(work.intake))
        if json or ndjson:
            records = (Recorded(name, record) for name, record in work.records)
            (as_json if json else as_lines)(records, histories, work.intake, work.tally)
        else:
            as_table(rows)(work.worst, histories, work.intake, work.tally)
    return work.intake, work.tally


def _end(intake: Intake, tally: Tally, watched: frozenset[str]) -> None:
    if not intake.understood:
        raise typer.Exit(NOTHING)
    if watched & tally.words:
        raise typer.Exit(FAILED)


def _watched(fail_on: list[str]) -> frozenset[str]:
    words = {word.strip() for listed in fail_on for word in listed.split(",") if word.strip()}
    for word in sorted(words.difference(WORDS)):
        raise typer.BadParameter(f"{word!r} is no verdict; choose from {', '.join(WORDS)}", param_hint="--fail-on")
    return frozenset(words)


def _sources(paths: list[str]) -> list[Source]:
    try:
        return sources(paths)
    except OSError as wrong:
        why = wrong.strerror or "No such file or directory"
        raise typer.BadParameter(f"{wrong.filename or wrong.args[0]!r}: {why}", param_hint="PATH") from None


def _say_left_out(intake: Intake) -> None:
    for note in intake.notes:
        _say(f"skipped {note}")
    if intake.skipped > len(intake.notes):
        _say(f"skipped {intake.skipped - len(intake.notes):,} more lines")
    for cause, times in sorted(intake.spilled.items()):
        _say(f"left out of spans {times:,} times: {cause}")


def _say(sentence: str) -> None:
    print(printable(sentence), file=sys.stderr)
