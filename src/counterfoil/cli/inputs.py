"""What `audit` and `archive` have in common: looking up what was named, and saying what could not be used."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import typer

from counterfoil.archives.buckets import SCHEME, Service, place_at
from counterfoil.archives.clickhouse import PASSWORD, NoAddress
from counterfoil.archives.finding import Found, found
from counterfoil.archives.footer import TooNew
from counterfoil.archives.needs import MissingExtra
from counterfoil.archives.objects import fetched, listed, staying
from counterfoil.auditing.intake import Intake
from counterfoil.auditing.sources import Source
from counterfoil.cli.progress import reading
from counterfoil.cli.terminal import printable

MISSING = 3


@contextmanager
def looked_up(paths: Sequence[str], in_place: bool = False) -> Iterator[Found]:
    """What is under these paths. Objects of buckets lie in ``TMPDIR`` for as long as it is looked at; with ``in_place``
    archives among them stay where they are."""
    with ExitStack() as kept:
        with usable("PATH"):
            addresses = dict.fromkeys(path for path in paths if path.startswith(SCHEME))
            everything = found(
                paths, os.environ.get(PASSWORD, ""), {one: _brought(one, kept, in_place) for one in addresses}
            )
        yield everything


def _brought(address: str, kept: ExitStack, in_place: bool) -> list[Source]:
    service = Service.of(os.environ)
    stay: list[Source] = []
    listing = listed(place_at(address), service)
    if in_place:
        stay, listing = staying(listing, service)
    folder = kept.enter_context(TemporaryDirectory(prefix="counterfoil-"))
    with reading(listing.size) as progress:
        return [*stay, *fetched(listing, Path(folder), progress)]


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
    except BrokenPipeError:
        raise  # whoever reads what is printed has seen enough
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
