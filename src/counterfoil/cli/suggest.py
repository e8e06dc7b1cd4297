"""`counterfoil suggest`: a first settings file, out of what was seen."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Annotated

import typer

from counterfoil.auditing.judging import judgements
from counterfoil.auditing.sources import sources
from counterfoil.auditing.taking_in import take_in
from counterfoil.cli.ledgers import opened
from counterfoil.cli.terminal import printable
from counterfoil.config import Config
from counterfoil.judge import Judgement
from counterfoil.ledger.looking import every
from counterfoil.reading.traces import Traces
from counterfoil.suggesting.looking import look_at_attempts, look_at_judgements, look_at_spans
from counterfoil.suggesting.seen import Tools
from counterfoil.suggesting.toml import settings_file

NOTHING = 3

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def suggest(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH", help="Files, folders, or - for standard input; gzip too.")
    ] = None,
    ledger: Annotated[
        str | None, typer.Option("--ledger", help="Look into a ledger instead: sqlite:///path or postgresql://…")
    ] = None,
) -> None:
    """Write a first settings file: the tools that were seen, and what could be said of each, as comments.

    PATH holds OTLP JSON lines or evidence, as for `audit`. Spans tell most: a ledger keeps neither fields nor methods.
    No value of an argument or a result is written, only names of fields. Exit codes: 0 done; 2 usage; 3 no tool was
    seen, or the ledger can't be used.
    """
    if bool(paths) == (ledger is not None):
        raise typer.BadParameter("name files, or one ledger with --ledger", param_hint="PATH")
    tools = Tools()
    if paths:
        look_at_judgements(tools, _from_files(tools, paths))
    else:
        with opened(ledger) as book:
            look_at_judgements(tools, look_at_attempts(tools, every(book)))
    if not tools.most_valuable_first():
        print("no call of a tool was seen; is this the agent's telemetry?", file=sys.stderr)
        raise typer.Exit(NOTHING)
    sys.stdout.buffer.write(settings_file(tools).encode("utf-8", "replace"))


def _from_files(tools: Tools, paths: list[str]) -> Iterable[Judgement]:
    traces = Traces()
    try:
        intake = take_in(sources(paths), Config.load()[0], traces=traces)
    except OSError as wrong:
        why = wrong.strerror or "No such file or directory"
        raise typer.BadParameter(f"{wrong.filename or wrong.args[0]!r}: {why}", param_hint="PATH") from None
    for note in intake.notes:
        print(printable(f"skipped {note}"), file=sys.stderr)
    look_at_spans(tools, traces)
    return judgements(intake)
