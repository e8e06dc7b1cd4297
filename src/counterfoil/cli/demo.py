"""`counterfoil demo`: a real agent against a provider that fails on purpose, and what each of three watchers says."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

app = typer.Typer(add_completion=False, rich_markup_mode=None)

NEEDED = frozenset({"pydantic_ai", "httpx", "opentelemetry.instrumentation.httpx"})
USAGE = 2


@app.command()
def demo(
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="Where the telemetry goes, as OTLP JSON lines; overwritten.")
    ] = Path("counterfoil-demo.jsonl"),
    book: Annotated[
        Path | None, typer.Option("--book", metavar="FILE", help="Keep the provider's book of truth (SQLite) here.")
    ] = None,
    ledger: Annotated[
        str,
        typer.Option(
            "--ledger", metavar="URL", help="Keep the facts in sqlite:///path, for `list`, `show` and `resolve`."
        ),
    ] = "memory:",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of the table.")] = False,
) -> None:
    """Watch a real agent lose a response and charge twice, and read the verdicts from its telemetry.

    Needs no key and no network. With OTEL_EXPORTER_OTLP_ENDPOINT the telemetry goes there as well.
    """
    try:
        from counterfoil.demo.report import borne_out
        from counterfoil.demo.run import run
        from counterfoil.demo.table import COLUMNS, as_record, show
    except ModuleNotFoundError as missing:
        if missing.name not in NEEDED:
            raise
        raise _refused(f"the demo needs {missing.name}; install it with: pip install 'counterfoil[demo]'") from None
    _writable("--out", out)
    if book is not None:
        if book.exists():
            raise _refused(f"--book {book} exists; name a file that does not, or delete it")
        _writable("--book", book)
    with tempfile.TemporaryDirectory() as folder, Console(stderr=True).status("starting") as status:
        rows = run(
            out, book or Path(folder) / "book.sqlite", ledger=ledger, on_story=lambda name: status.update(_title(name))
        )
    if as_json:
        typer.echo(json.dumps(as_record(rows, out), indent=2))
    else:
        show(rows, Console(width=None if sys.stdout.isatty() else COLUMNS), out)
    if not all(borne_out(row) for row in rows):
        raise typer.Exit(1)


def _title(story: str) -> str:
    return story.replace("_", " ")


def _writable(option: str, path: Path) -> None:
    """Say at once what would fail in the middle."""
    try:
        path.open("ab").close()
    except OSError as error:
        raise _refused(f"{option} {path}: {error.strerror}; name a file in a folder that you may write to") from None


def _refused(why: str) -> typer.Exit:
    typer.echo(f"counterfoil demo: {why}", err=True)
    return typer.Exit(USAGE)
