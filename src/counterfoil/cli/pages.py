"""Pages that commands write beside what they print."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from counterfoil.auditing.intake import Intake
from counterfoil.auditing.tally import Tally
from counterfoil.auditing.told import Told
from counterfoil.cli.output import Output
from counterfoil.histories.audit import HistoryJudgement

READABLE = 0o644


def _path(given: str) -> Path:
    """Say at once what would fail in the end."""
    path = Path(given)
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise typer.BadParameter(f"{given} can't be written; name a file in a folder that you may write to")
    return path


HtmlOption = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", parser=_path, help="Write a page that draws it, too; overwritten."),
]


def write_page(path: Path, page: str) -> None:
    """Write a page whole or not at all. A usage error where it can't be written."""
    try:
        handle, scratch = tempfile.mkstemp(prefix=f".{path.name[:64]}.", dir=path.parent)
        try:
            with open(handle, "w", encoding="utf-8", errors="replace") as file:
                file.write(page)
            Path(scratch).chmod(READABLE)
            Path(scratch).replace(path)
        except BaseException:
            Path(scratch).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise typer.BadParameter(f"{path}: {error.strerror}", param_hint="--html") from None


def drawing_too(path: Path, write: Output, now: int) -> Output:
    """The same output, and a page that is written when all of it went by."""
    from counterfoil.drawing.page import audit_page
    from counterfoil.drawing.summary import Summary

    def writing(
        operations: Iterable[Told], histories: Iterable[HistoryJudgement], intake: Intake, tally: Tally
    ) -> None:
        gathered = Summary()
        write(gathered.passing(operations), histories, intake, tally)
        gathered.said = _read(intake, tally)
        write_page(path, audit_page(gathered, now))

    return writing


def _read(intake: Intake, tally: Tally) -> str:
    """What the audit read, and how much of it could be verified at all."""
    looked = f"At the target of {tally.verifiable:,} of {tally.acting:,} operations that act, somebody has looked."
    lists = f" {tally.histories.total():,} message lists were judged, too." if tally.histories else ""
    return f"{looked}{lists} {tally.facts:,} facts were read, {intake.skipped:,} lines could not be."
