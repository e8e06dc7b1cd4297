"""`counterfoil archive`: keep what files hold as facts alone, sorted, in a fraction of the room."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterfoil.archives.needs import LEAST_MIB, MEMORY_MIB
from counterfoil.archives.writing import archived
from counterfoil.cli.inputs import looked_up, say, say_left_out, usable
from counterfoil.cli.progress import reading
from counterfoil.config import Config

NOTHING = 3

MemoryOption = Annotated[
    int,
    typer.Option(
        "--memory", min=LEAST_MIB, metavar="MIB", help="What DuckDB may hold to sort; it spills beyond, to TMPDIR."
    ),
]

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def archive(
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="All that `audit` reads, archives too.")],
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="Where the file goes; made where it isn't there.")],
    memory: MemoryOption = MEMORY_MIB,
) -> None:
    """Write what PATH holds as one Parquet file of facts, sorted by operation: hashes and names, no content.

    `counterfoil audit DIR` says of it what it says of PATH, to the byte. Spans are read into facts with the settings of
    now, and don't come along. The file appears whole, under a name made from what it holds; several in one folder are
    judged as one. Exit codes: 0 done; 2 usage; 3 nothing could be parsed, or the extra `archive` isn't installed.
    """
    config, problems = Config.load()
    with looked_up(paths) as found, usable("--to"), reading(found.size) as progress:
        path, intake = archived(
            found.sources, to, config, archives=found.archives, memory_mib=memory, progress=progress
        )
    for problem in problems:
        say(str(problem))
    say_left_out(intake)
    if path is None:
        raise typer.Exit(NOTHING)
    typer.echo(path)
