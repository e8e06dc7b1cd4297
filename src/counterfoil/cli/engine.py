"""`counterfoil engine`: run the judge on an engine that people already operate."""

from __future__ import annotations

import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from counterfoil.engines.places import NoPlace, OnLoss, topic_of, ways_of

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, no_args_is_help=True)


@app.callback()
def _engine() -> None:
    """Run the judge on an engine that people already operate."""


@app.command()
def spark(  # noqa: PLR0917 -- each is an option by name
    facts: Annotated[
        str,
        typer.Option(
            help="Folder of evidence or OTLP JSON lines, any URL that Spark reads; or kafka://HOST:PORT/TOPIC."
        ),
    ],
    verdicts: Annotated[
        list[str],
        typer.Option(help="Folder for Parquet; or kafka://HOST:PORT/TOPIC and otlp, once each or both."),
    ],
    checkpoint: Annotated[str, typer.Option(help="Folder for offsets, state and timers; must outlive the job.")],
    master: Annotated[str, typer.Option(help="Where Spark runs: local[*], spark://…, k8s://…, yarn.")] = "local[*]",
    partitions: Annotated[int, typer.Option(min=1, help="Parts of the state; fixed with the first run.")] = 8,
    every: Annotated[float, typer.Option(min=0.0, help="Seconds between two micro-batches.")] = 10.0,
    most_messages: Annotated[
        int | None, typer.Option(min=1, help="Messages of a topic that one micro-batch reads at most; 10000.")
    ] = None,
    kafka_config: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Settings for Kafka's clients, NAME=VALUE; at this path on all machines."),
    ] = None,
    lost: Annotated[
        OnLoss | None,
        typer.Option(help="Messages were deleted unread: leave in doubt what they may concern (the default), or end."),
    ] = None,
) -> None:
    """Print the line that starts the job on Spark: facts in, verdicts out, until it is stopped.

    Workers need counterfoil with its extra `spark`. Times to settle and deadlines are this installation's settings.
    Credentials for Kafka go into the file of --kafka-config and nowhere else. Where otlp goes is OpenTelemetry's to
    say (OTEL_EXPORTER_OTLP_ENDPOINT and its kin), on the driver. Exit codes: 0 done; 2 usage; 3 the extra isn't
    installed.
    """
    if find_spec("pyspark") is None:
        typer.echo("Spark is not installed here; install counterfoil[spark].", err=True)
        raise typer.Exit(3)
    _checked(facts, verdicts)
    conf = {**_session(), "spark.sql.shuffle.partitions": str(partitions)}
    job = Path(__file__).parents[1] / "engines" / "job.py"
    line = ["spark-submit", "--master", master]
    for name, value in conf.items():
        line += ["--conf", f"{name}={value}"]
    line += [str(job), "--facts", facts]
    for way in verdicts:
        line += ["--verdicts", way]
    line += ["--checkpoint", checkpoint, "--every", str(every)]
    more = {"--most-messages": most_messages, "--kafka-config": kafka_config, "--lost": lost and lost.value}
    for option, said in more.items():
        line += [] if said is None else [option, str(said)]
    typer.echo(shlex.join(line))


def _checked(facts: str, verdicts: list[str]) -> None:
    try:
        topic_of(facts)
        ways_of(verdicts)
    except NoPlace as wrong:
        raise typer.BadParameter(str(wrong)) from None


def _session() -> dict[str, str]:
    from counterfoil.engines.spark import CONF

    return CONF
