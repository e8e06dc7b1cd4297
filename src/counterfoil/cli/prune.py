"""`counterfoil prune`: forget what is settled and old, and say what is kept and why."""

from __future__ import annotations

from datetime import UTC, datetime
from time import time_ns
from typing import Annotated

import orjson
import typer
from rich.text import Text

from counterfoil.cli.ledgers import LedgerOption, opened
from counterfoil.cli.terminal import terminal
from counterfoil.config.values import seconds
from counterfoil.ledger.protocol import Ledger
from counterfoil.ledger.pruning import MAX_TOGETHER, Pruned, prune
from counterfoil.records import rfc3339

SECOND = 1_000_000_000
AT_ONCE = 1_000
WAY_OUT = "write an age with its unit, such as 30d or 12h, or a time such as 2030-01-31 or 2030-01-31T06:00:00Z"

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command("prune")
def prune_ledger(
    before: Annotated[
        str,
        typer.Option("--before", "--settled-before", metavar="AGE|TIME", help="30d, or a time; without a zone UTC."),
    ],
    ledger: LedgerOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Forget nothing; say what would be.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Forget operations of which the last thing was told before a time, with all their facts.

    Kept are those that somebody waits for: nothing was told of them yet, they are in doubt, or an incident is open.
    Kept is, too, what shares a key, a reference or an intent with one that is kept. Gaps are never forgotten. A SQLite
    file doesn't shrink; its free room is used again. Exit codes: 0 done; 2 usage; 3 the ledger can't be used.
    """
    until = _time(before, time_ns())
    with opened(ledger) as book:
        everything, waiting = _many(book, open_only=False), _many(book, open_only=True)
        pruned = prune(book, until, dry_run=dry_run)
    newer = max(0, everything - waiting - pruned.forgotten - pruned.related - pruned.crowded)
    if json:
        kept = {"open": waiting, "newer": newer, "related": pruned.related, "crowded": pruned.crowded}
        said = {"before": rfc3339(until), "dry_run": dry_run, "forgotten": pruned.forgotten, "kept": kept}
        print(orjson.dumps(said).decode())
        return
    console = terminal()
    for line in _lines(pruned, waiting, newer, rfc3339(until), dry_run):
        console.print(Text(line))


def _lines(pruned: Pruned, waiting: int, newer: int, until: str, dry_run: bool) -> list[str]:
    verb = "would be forgotten" if dry_run else "forgotten"
    lines = [f"{pruned.forgotten:,} operation{'' if pruned.forgotten == 1 else 's'} {verb}: settled before {until}"]
    reasons = {
        "open: in doubt, an incident, or nothing was told yet": waiting,
        f"settled since {until}, or due to be judged again": newer,
        "settled before, but related to one of these": pruned.related,
        f"settled before, but related to more than {MAX_TOGETHER:,} others": pruned.crowded,
    }
    return [*lines, *(f"{count:,} kept, {why}" for why, count in reasons.items() if count)]


def _time(said: str, now: int) -> int:
    """Nanoseconds since 1970. A bare number is refused: who forgets should say of what unit."""
    try:
        if said.strip()[-1:].isalpha() and not said.strip().endswith("Z"):
            return now - int(seconds(said) * SECOND)
        when = datetime.fromisoformat(said.strip()) if "-" in said else None
    except ValueError:
        when = None
    if when is None:
        raise typer.BadParameter(f"{said!r} is no age and no time; {WAY_OUT}", param_hint="--before")
    at = when.timestamp() if when.tzinfo is not None else when.replace(tzinfo=UTC).timestamp()
    return int(at * SECOND)


def _many(ledger: Ledger, *, open_only: bool) -> int:
    many, after = 0, ""
    while names := ledger.operations(after=after, limit=AT_ONCE, open_only=open_only):
        many += len(names)
        after = names[-1]
    return many
