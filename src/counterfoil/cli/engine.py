"""`counterfoil engine`: run the judge on an engine that people already operate."""

from __future__ import annotations

import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, no_args_is_help=True)


@app.callback()
def _engine() -> None:
    """Run the judge on an engine that people already operate."""


@app.command()
def spark(  # noqa: PLR0917 -- each is an option by name
    facts: Annotated[str, typer.Option(help="Folder of evidence or of OTLP JSON lines; any URL that Spark can read.")],
    verdicts: Annotated[str, typer.Option(help="Folder for the verdicts, as Parquet.")],
    checkpoint: Annotated[str, typer.Option(help="Folder for offsets, state and timers; must outlive the job.")],
    master: Annotated[str, typer.Option(help="Where Spark runs: local[*], spark://…, k8s://…, yarn.")] = "local[*]",
    partitions: Annotated[int, typer.Option(min=1, help="Parts of the state; fixed with the first run.")] = 8,
    every: Annotated[float, typer.Option(min=0.0, help="Seconds between two micro-batches.")] = 10.0,
) -> None:
    """Print the line that starts the job on Spark: facts in, verdicts out, until it is stopped.

    Workers need counterfoil with its extra `spark`. Times to settle and deadlines are this installation's settings.
    Exit codes: 0 done; 2 usage; 3 the extra isn't installed.
    """
    if find_spec("pyspark") is None:
        typer.echo("Spark is not installed here; install counterfoil[spark].", err=True)
        raise typer.Exit(3)
    conf = {**_session(), "spark.sql.shuffle.partitions": str(partitions)}
    job = Path(__file__).parents[1] / "engines" / "job.py"
    line = ["spark-submit", "--master", master]
    for name, value in conf.items():
        line += ["--conf", f"{name}={value}"]
    line += [str(job), "--facts", facts, "--verdicts", verdicts, "--checkpoint", checkpoint, "--every", str(every)]
    typer.echo(shlex.join(line))


def _session() -> dict[str, str]:
    from counterfoil.engines.spark import CONF

    return CONF
