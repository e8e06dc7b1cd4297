"""The ledger that a command works on: from --ledger, or COUNTERFOIL_LEDGER."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from counterfoil import names
from counterfoil.cli.terminal import printable
from counterfoil.ledger import AddressError, Ledger, LedgerFault, open_ledger
from counterfoil.ledger.faults import shown

UNREADABLE = 3

LedgerOption = Annotated[
    str | None,
    typer.Option("--ledger", help=f"sqlite:///path or postgresql://…; by default what {names.LEDGER_SETTING} says."),
]


@contextmanager
def opened(url: str | None, *, make: bool = False) -> Iterator[Ledger]:
    """The ledger, to look into it or to add to it. A usage error where there is none; exit 3 where it can't be used.
    ``make``: a file that isn't there is made."""
    address = url or os.environ.get(names.LEDGER_SETTING, "")
    if not address or address == "memory:":
        raise typer.BadParameter(
            f"no ledger is named; set {names.LEDGER_SETTING}, or give sqlite:///path or postgresql://…",
            param_hint="--ledger",
        )
    try:
        if not make:
            _must_exist(address)
        ledger = open_ledger(address)
    except AddressError as wrong:
        raise typer.BadParameter(str(wrong), param_hint="--ledger") from None
    try:
        yield ledger
    except LedgerFault as fault:
        print(printable(str(fault)), file=sys.stderr)
        raise typer.Exit(UNREADABLE) from None
    finally:
        ledger.close()


def _must_exist(address: str) -> None:
    """Looking into a file that isn't there must not make one."""
    if address.startswith("sqlite:///") and not Path(address[10:].partition("?")[0]).is_file():
        raise AddressError(
            f"{shown(address)} is not there; name the file that the agent's {names.LEDGER_SETTING} names"
        )
