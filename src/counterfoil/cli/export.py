"""`counterfoil export`: dashboards, rules, queries and collector configurations, as this version ships them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

import typer

import counterfoil

app = typer.Typer(add_completion=False, rich_markup_mode=None)

USAGE = 2


class Kind(StrEnum):
    """What can be exported."""

    GRAFANA = "grafana"
    PROMETHEUS = "prometheus"
    LOGFIRE = "logfire"
    COLLECTOR = "collector"


RUNBOOKS = "runbooks"
"""Where the exported alerts look for their runbooks: the folder of that name beside them."""

IN_A_CHECKOUT: Mapping[str, str] = {
    Kind.GRAFANA: "dashboards/grafana",
    Kind.PROMETHEUS: "dashboards/prometheus",
    Kind.LOGFIRE: "dashboards/logfire",
    Kind.COLLECTOR: "collector-config",
    RUNBOOKS: "dashboards/runbooks",
}
"""Where the files stand in the project's checkout. The wheel has them in `counterfoil/_shipped`, by kind."""


class Refused(Exception):
    """Nothing was written; the message says why, and the way out."""


def export(kind: Kind, folder: Path, *, runbooks: str | None = None, force: bool = False) -> list[Path]:
    """Write the files of one kind into a folder, which is made where it isn't there, and return their paths.

    Alerts point to `runbooks/…` beside them, and the pages are written there. With `runbooks`, an address, they point
    below that, and no pages are written. A file that is there already with other content is not touched and nothing is
    written, unless `force`. Raises `Refused` for that, and `OSError` where the folder can't be written.
    """
    files = dict(_files(kind))
    if kind is not Kind.COLLECTOR:
        if runbooks is None:
            files |= {f"{RUNBOOKS}/{name}": text for name, text in _files(RUNBOOKS)}
        else:
            files = {name: _pointing_to(runbooks, text) for name, text in files.items()}
    wanted = {folder / name: text for name, text in sorted(files.items())}
    changed = [path for path, text in wanted.items() if path.exists() and path.read_text(encoding="utf-8") != text]
    if changed and not force:
        raise Refused(f"{_first(changed)} would be overwritten; name another folder, or add --force")
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(wanted)


@app.command()
def _export(
    kind: Annotated[Kind, typer.Argument(help="Which files.", show_default=False)],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where they go.", show_default=False)],
    runbooks: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="Let alerts point to runbooks below this address, instead of to pages beside them."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that were changed.")] = False,
) -> None:
    """Write Grafana dashboards, Prometheus rules, Logfire dashboards or collector configurations into a folder.

    Each has a README that says what to do with it.
    """
    try:
        written = export(kind, folder, runbooks=runbooks, force=force)
    except Refused as refused:
        raise _failed(str(refused)) from None
    except OSError as error:
        raise _failed(f"{error.filename or folder}: {error.strerror}; name a folder that you may write to") from None
    for path in written:
        typer.echo(path)


def _files(kind: str) -> Iterator[tuple[str, str]]:
    """Path and text of every file of a kind."""
    yield from _texts(_source(kind), "")


def _source(kind: str) -> Traversable:
    shipped = resources.files(counterfoil) / "_shipped" / kind
    if shipped.is_dir():
        return shipped
    checkout = Path(counterfoil.__file__).parents[2] / IN_A_CHECKOUT[kind]
    if checkout.is_dir():
        return checkout
    raise Refused(f"this installation has no {kind} files; install the released wheel: pip install counterfoil")


def _texts(place: Traversable, above: str) -> Iterator[tuple[str, str]]:
    for entry in place.iterdir():
        name = f"{above}{entry.name}"
        if entry.is_dir():
            yield from _texts(entry, f"{name}/")
        else:
            yield name, entry.read_text(encoding="utf-8")


def _pointing_to(address: str, text: str) -> str:
    """The text with `runbooks/NAME.md` below an address instead of beside it."""
    base = address.rstrip("/")
    for before in ("runbook_url: ", "Runbook: "):
        text = text.replace(f"{before}{RUNBOOKS}/", f"{before}{base}/")
    return text


def _first(paths: list[Path]) -> str:
    others = len(paths) - 1
    return f"{paths[0]}" + (f" and {others} more" if others else "")


def _failed(why: str) -> typer.Exit:
    typer.echo(f"counterfoil export: {why}", err=True)
    return typer.Exit(USAGE)
