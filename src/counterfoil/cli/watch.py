"""`counterfoil watch`: a ledger, live in the terminal."""

from __future__ import annotations

import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from heapq import nlargest, nsmallest
from itertools import islice
from time import time_ns
from typing import Annotated

import typer
from rich import box
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from counterfoil.auditing.told import Told, told
from counterfoil.cli.ledgers import LedgerOption, opened
from counterfoil.cli.table import operations_table
from counterfoil.cli.terminal import printable, terminal
from counterfoil.config import Config
from counterfoil.ledger.faults import LedgerFault
from counterfoil.ledger.looking import AT_ONCE, every
from counterfoil.ledger.protocol import Ledger
from counterfoil.ledger.told import Told as Revision
from counterfoil.records import rfc3339

MOST_LOOKED_AT = 2_000
"""Open operations that are judged at each look, and ids among which the latest tellings are looked for, from the first
on: a look must not take longer than the wait for the next one. What lies beyond is said to."""

LATEST = 8
"""So many of the latest tellings are shown."""

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@dataclass(frozen=True, slots=True)
class Look:
    """What a ledger holds at one moment: how many are open by verdict, the worst of them, and what was told last.

    ``more``: there are operations beyond `MOST_LOOKED_AT` that were not looked at.
    """

    at: str
    counts: Counter[str]
    worst: list[Told]
    latest: list[Revision]
    more: bool

    @property
    def line(self) -> str:
        """The whole look in one line."""
        each = ", ".join(f"{count:,} {word}" for word, count in self.counts.most_common())
        at_least = "at least " if self.more else ""
        return f"{self.at} {at_least}{self.counts.total():,} open{f': {each}' if each else ''}"


@app.command()
def watch(
    ledger: LedgerOption = None,
    once: Annotated[bool, typer.Option("--once", help="Look once, then stop.")] = False,
    every_s: Annotated[float, typer.Option("--every", min=0.1, max=3_600, help="Seconds between two looks.")] = 2.0,
    rows: Annotated[int, typer.Option(min=1, max=200, help="So many open operations, the worst first.")] = 15,
) -> None:
    """The open operations of a ledger, and the verdicts that were told last, until stopped.

    On a terminal it is one picture that changes; elsewhere a line is written for each look that differs from the one
    before. Ctrl-C and SIGTERM end it. Exit codes: 0 done; 2 usage; 3 the ledger can't be used.
    """
    config = Config.load()[0]
    with opened(ledger) as book, _stopped() as stop:
        looks = _looks(book, config, rows, lambda: once or stop.wait(every_s))
        if not sys.stdout.isatty():
            _lines(looks)
        elif once:
            terminal().print(_drawn(look(book, config, time_ns(), rows)))
        else:
            _picture(looks)


def look(ledger: Ledger, config: Config, now: int, rows: int) -> Look:
    """One look, as of ``now`` (nanoseconds since 1970). Raises `LedgerFault`."""
    judged = [told(one, now, config) for one in islice(every(ledger, open_only=True), MOST_LOOKED_AT + 1)]
    some = judged[:MOST_LOOKED_AT]
    latest, beyond = _latest(ledger)
    return Look(
        at=rfc3339(now // 1_000_000_000 * 1_000_000_000),
        counts=Counter(one.judgement.verdict.value for one in some),
        worst=nsmallest(rows, some, key=lambda one: one.place),
        latest=latest,
        more=len(judged) > MOST_LOOKED_AT or beyond,
    )


def _latest(ledger: Ledger) -> tuple[list[Revision], bool]:
    found: list[Revision] = []
    after, seen = "", 0
    while seen < MOST_LOOKED_AT:
        names = ledger.operations(after=after, limit=AT_ONCE)
        if not names:
            return found, False
        found = nlargest(LATEST, [*found, *ledger.told(names).values()], key=lambda one: one.at)
        after, seen = names[-1], seen + len(names)
    return found, bool(ledger.operations(after=after, limit=1))


def _looks(book: Ledger, config: Config, rows: int, wait: Callable[[], bool]) -> Iterator[Look | LedgerFault]:
    """A look, and another after each wait, until a wait says that it was the last. A ledger that can't be used ends it
    at the first look; one that fails later is told, and looked at again."""
    found: Look | LedgerFault = look(book, config, time_ns(), rows)
    while True:
        yield found
        if wait():
            return
        try:
            found = look(book, config, time_ns(), rows)
        except LedgerFault as fault:
            found = fault


def _picture(looks: Iterable[Look | LedgerFault]) -> None:
    with Live(console=terminal(), auto_refresh=False, screen=True, vertical_overflow="crop") as live:
        for seen in looks:
            content = Text(printable(str(seen)), "red") if isinstance(seen, LedgerFault) else _drawn(seen)
            live.update(Group(content, Text("Ctrl-C ends it.", "dim")), refresh=True)


def _lines(looks: Iterable[Look | LedgerFault]) -> None:
    before: object = None
    for seen in looks:
        if isinstance(seen, LedgerFault):
            print(printable(str(seen)), file=sys.stderr, flush=True)
            continue
        state = (seen.counts, [(one.operation_id, one.revision) for one in seen.latest])
        if state != before:
            newest = seen.latest[0] if seen.latest else None
            last = f"; last told: {newest.operation_id} {newest.said.verdict}" if newest is not None else ""
            print(printable(seen.line + last), flush=True)
        before = state


def _drawn(seen: Look) -> Group:
    parts: list[Text | Table] = [Text(printable(seen.line), "bold")]
    if seen.worst:
        parts.append(operations_table(seen.worst))
    if hidden := seen.counts.total() - len(seen.worst):
        parts.append(Text(f"… and {hidden:,} more that are open, none of them worse", "dim"))
    if seen.latest:
        parts.append(_told_last(seen.latest))
    if seen.more:
        parts.append(Text(f"Only the first {MOST_LOOKED_AT:,} operations by name were looked at.", "dim"))
    return Group(*parts)


def _told_last(latest: list[Revision]) -> Table:
    table = Table("told", "verdict", "revision", "operation", box=box.SIMPLE_HEAD, pad_edge=False)
    for one in latest:
        name = Text(printable(one.operation_id), overflow="ellipsis", no_wrap=True)
        table.add_row(rfc3339(one.at)[:19], one.said.verdict.value, str(one.revision), name)
    return table


@contextmanager
def _stopped() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set, so that the terminal is left as it was."""
    stop = threading.Event()
    before = {wanted: signal.signal(wanted, lambda *_: stop.set()) for wanted in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for wanted, handler in before.items():
            signal.signal(wanted, handler)
