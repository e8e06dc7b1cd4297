"""`counterfoil audit`: judge what files hold."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from counterfoil.archives.needs import MEMORY_MIB
from counterfoil.auditing.told import WORDS
from counterfoil.cli.against import Against, Form
from counterfoil.cli.archive import MemoryOption
from counterfoil.cli.auditing import Audit, at_hand, by_all_cores, from_archives, on_spark
from counterfoil.cli.inputs import looked_up, usable
from counterfoil.cli.pages import HtmlOption

FAILED, NOTHING = 1, 3  # 2 is a usage error


class Engine(StrEnum):
    """What an audit runs on, beside this process alone."""

    LOCAL = "local"
    SPARK = "spark"


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
        Engine | None,
        typer.Option(help="local: by all cores, over partitions on disk. spark: where Spark's own settings say."),
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
    says the same, to the byte. --against prints only what is said otherwise than before: verdict, outcome,
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
    with looked_up(paths, in_place=engine is Engine.SPARK) as found:
        asked = Audit(found, json, ndjson, rows, html, compared, memory)
        with usable("PATH"):
            match engine:
                case Engine.SPARK:
                    intake, tally = on_spark(asked)
                case Engine.LOCAL:
                    intake, tally = by_all_cores(asked)
                case None:
                    intake, tally = from_archives(asked) if found.in_order else at_hand(asked)
    if not intake.understood:
        raise typer.Exit(NOTHING)
    if watched & tally.words or (compared is not None and compared.changed):
        raise typer.Exit(FAILED)


def _watched(fail_on: list[str]) -> frozenset[str]:
    words = {word.strip() for listed in fail_on for word in listed.split(",") if word.strip()}
    for word in sorted(words.difference(WORDS)):
        raise typer.BadParameter(f"{word!r} is no verdict; choose from {', '.join(WORDS)}", param_hint="--fail-on")
    return frozenset(words)
