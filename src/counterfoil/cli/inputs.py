"""What `audit` and `archive` have in common: looking up what was named, and saying what could not be used."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import typer

from counterfoil.archives.clickhouse import PASSWORD, NoAddress
from counterfoil.archives.finding import Found, found
from counterfoil.archives.footer import TooNew
from counterfoil.archives.needs import MissingExtra
from counterfoil.auditing.intake import Intake
from counterfoil.cli.terminal import printable

MISSING = 3


def looked_up(paths: Sequence[str]) -> Found:
    with usable("PATH"):
        return found(paths, os.environ.get(PASSWORD, ""))


@contextmanager
def usable(hint: str) -> Iterator[None]:
    """Say in words, and by the exit code, what can't be read or written, and what isn't installed."""
    try:
        yield
    except MissingExtra as missing:
        say(str(missing))
        raise typer.Exit(MISSING) from None
    except (NoAddress, TooNew) as wrong:
        raise typer.BadParameter(str(wrong), param_hint=hint) from None
    except OSError as wrong:
        why = wrong.strerror or "No such file or directory"
        raise typer.BadParameter(f"{wrong.filename or wrong.args[0]!r}: {why}", param_hint=hint) from None


def say_left_out(intake: Intake) -> None:
    for note in intake.notes:
        say(f"skipped {note}")
    if intake.skipped > len(intake.notes):
        say(f"skipped {intake.skipped - len(intake.notes):,} more lines")
    for cause, times in sorted(intake.spilled.items()):
        say(f"left out of spans {times:,} times: {cause}")


def say(sentence: str) -> None:
    print(printable(sentence), file=sys.stderr)
