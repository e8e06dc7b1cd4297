"""`counterfoil doctor`: what would be attached here and by which door, and what is missing or contradicts itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import orjson
import typer
from rich import box
from rich.table import Table
from rich.text import Text

from counterfoil.cli.terminal import printable, terminal
from counterfoil.doctoring.check import Check, State, contradiction, many, missing, ok
from counterfoil.doctoring.entrances import entrances
from counterfoil.doctoring.exporting import exporting
from counterfoil.doctoring.observations import observations
from counterfoil.doctoring.reach import reach
from counterfoil.doctoring.running import Run, run
from counterfoil.doctoring.sources import sources
from counterfoil.doctoring.surroundings import here
from counterfoil.suggesting.seen import Tools
from counterfoil.suggesting.toml import settings_file

FAILED = 1
_STYLE = {State.OK: "green", State.MISSING: "yellow", State.CONTRADICTION: "bold red"}

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def doctor(
    command: Annotated[
        list[str] | None, typer.Argument(metavar="[-- COMMAND]", help="An application to run and to watch.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    suggest: Annotated[
        Path | None, typer.Option("--suggest", metavar="FILE", help="Write a first settings file from what was seen.")
    ] = None,
) -> None:
    """Say what would be attached in this environment, by which door, and what to set where something is missing.

    With a command, run it as it is, with COUNTERFOIL_ENABLED=true, and say what was really seen; what it prints goes
    to standard error. With --suggest, its tools are written into a new file, as `counterfoil suggest` does: names of
    fields, never values. Exit codes: 0 nothing contradicts itself; 1 something does; 2 usage.
    """
    if suggest is not None:
        _fit_to_write(suggest, command)
    around = here()
    checks = [*entrances(around), *exporting(around), *sources(around), *reach(around)]
    seen = run(command) if command else None
    if seen is not None:
        checks += observations(seen)
        if suggest is not None:
            checks.append(_suggested(suggest, seen.suggests))
    if json:
        typer.echo(orjson.dumps(_record(checks, seen)))
    else:
        console = terminal()
        console.print(_table(checks))
        console.print(_summary(checks))
    if any(check.state is State.CONTRADICTION for check in checks):
        raise typer.Exit(FAILED)


def _fit_to_write(file: Path, command: Sequence[str] | None) -> None:
    if not command:
        raise typer.BadParameter("run an application: -- COMMAND; or see `counterfoil suggest`", param_hint="--suggest")
    if file.exists() or not file.parent.is_dir():
        what = "is there already" if file.exists() else "can't be written"
        raise typer.BadParameter(f"{str(file)!r} {what}; name a new file", param_hint="--suggest")


def _suggested(file: Path, tools: Tools) -> Check:
    """Written after the run, so that a name that somebody took meanwhile stays theirs."""
    if not (found := tools.most_valuable_first()):
        return missing("run: suggest", "no call of a tool was seen: there is nothing to suggest")
    try:
        with file.open("x", encoding="utf-8", errors="replace") as into:
            into.write(settings_file(tools))
    except OSError as wrong:
        says = f"{file.name} can't be written: {wrong.strerror}"
        return contradiction("run: suggest", says, "--suggest <a new file>")
    says = f"{many(len(found), 'tool')} in {file.name}, as comments: take the mark away where a guess is true"
    return ok("run: suggest", says)


def _record(checks: Sequence[Check], seen: Run | None) -> dict[str, object]:
    return {"checks": [check.record() for check in checks], "run": None if seen is None else seen.record()}


def _table(checks: Sequence[Check]) -> Table:
    table = Table("state", "what", "found", "set", box=box.SIMPLE_HEAD, pad_edge=False)
    for check in checks:
        words = [Text(printable(each), overflow="fold") for each in (check.name, check.says, check.set)]
        table.add_row(Text(check.state.value, _STYLE[check.state]), *words)
    return table


def _summary(checks: Sequence[Check]) -> Text:
    counts = {state: sum(check.state is state for check in checks) for state in State}
    contradictions = many(counts[State.CONTRADICTION], "contradiction")
    return Text(f"{contradictions}, {counts[State.MISSING]} missing, {counts[State.OK]} ok.")
