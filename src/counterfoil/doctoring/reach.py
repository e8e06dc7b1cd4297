"""What must answer: the settings, the ledger, the collector, and through its answer the clock."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from counterfoil import names
from counterfoil.doctoring.check import Check, contradiction, missing, ok
from counterfoil.doctoring.exporting import ENDPOINT
from counterfoil.doctoring.surroundings import Surroundings
from counterfoil.ledger import AddressError, DriverError, LedgerFault, open_ledger
from counterfoil.probing.resolving import problems as unusable

PATIENCE_S = 3.0
APART_S = 5.0
"""So far the clock may be from the collector's; a header tells whole seconds."""


def reach(around: Surroundings) -> Iterator[Check]:
    problems = (*around.problems, *unusable(around.config, around.environ))
    for problem in problems:
        yield contradiction("settings", str(problem), f"correct {problem.setting}")
    if not problems:
        yield ok("settings", "every setting can be used")
    yield _ledger(around.config.ledger)
    yield from _collector(around)


def _ledger(address: str) -> Check:
    if address == "memory:":
        says = (
            "what is known ends with its process: a killed one forgets, and processes don't see each other's attempts"
        )
        return missing("ledger", says, f"{names.LEDGER_SETTING}=sqlite:///<path>")
    kind = address.partition(":")[0]
    try:
        ledger = open_ledger(address, patience_s=PATIENCE_S)
        try:
            ledger.operations(limit=1)
        finally:
            ledger.close()
    except DriverError:
        return contradiction("ledger", f"no driver for {kind} is installed", "install counterfoil[postgres]")
    except (AddressError, LedgerFault) as trouble:  # neither holds a password
        return contradiction("ledger", str(trouble), f"{names.LEDGER_SETTING}=<one that can be reached from here>")
    waits = "; while it is away facts wait in memory, or in the file that `?spool=path` at its end names"
    return ok("ledger", f"the {kind} ledger answers{waits if kind.startswith('postgres') else ''}")


def _collector(around: Surroundings) -> Iterator[Check]:
    endpoint = around.variable(ENDPOINT)
    if not endpoint:
        return
    asked, place = time.time(), "the endpoint"
    try:
        place = _place(endpoint)
        with urllib.request.urlopen(urllib.request.Request(place, method="HEAD"), timeout=PATIENCE_S) as answer:
            date = answer.headers.get("Date")
    except urllib.error.HTTPError as answer:  # any answer will do
        date = answer.headers.get("Date")
    except (OSError, ValueError):
        yield missing("collector", f"{place} does not answer", f"{ENDPOINT}=<one that can be reached>")
        return
    yield ok("collector", f"{place} answers")
    if date is not None:
        yield _clock(asked, date)


def _clock(asked: float, date: str) -> Check:
    try:
        apart = asked - parsedate_to_datetime(date).timestamp()
    except ValueError:
        return missing("clock", "the collector's answer has no time that can be read")
    if abs(apart) > APART_S:
        side = "ahead of" if apart > 0 else "behind"
        says = (
            f"this clock is {abs(apart):,.0f} s {side} the collector's: a look that came too early passes for settled"
        )
        return contradiction("clock", says, "set the clock, by NTP for instance")
    return ok("clock", f"within {APART_S:.0f} s of the collector's")


def _place(endpoint: str) -> str:
    """Whom to ask, without what could be a secret."""
    parts = urlsplit(endpoint)
    return f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}"
