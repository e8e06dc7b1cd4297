"""`counterfoil list`: the operations of a ledger."""

from __future__ import annotations

from time import time_ns
from typing import Annotated

import orjson
import typer
from rich.text import Text

from counterfoil.auditing.told import WORDS, Told, told
from counterfoil.cli.ledgers import LedgerOption, opened
from counterfoil.cli.table import operations_table
from counterfoil.cli.terminal import terminal
from counterfoil.config import Config
from counterfoil.ledger.looking import every
from counterfoil.printable import printable
from counterfoil.waiting import waiting_of

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command("list")
def list_operations(
    ledger: LedgerOption = None,
    open_only: Annotated[bool, typer.Option("--open", help="Only what somebody waits for.")] = False,
    verdict: Annotated[list[str] | None, typer.Option(help="Only these verdicts or findings, by comma.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object, as `audit --json` writes it.")] = False,
) -> None:
    """The operations of a ledger, the worst first, judged as of now.

    Exit codes: 0 done; 2 usage; 3 the ledger can't be used.
    """
    wanted = {word.strip() for listed in verdict or [] for word in listed.split(",") if word.strip()}
    for word in sorted(wanted.difference(WORDS)):
        raise typer.BadParameter(f"{word!r} is no verdict; choose from {', '.join(WORDS)}", param_hint="--verdict")
    config, now = Config.load()[0], time_ns()
    with opened(ledger) as book:
        judged = (told(judgement, now, config) for judgement in every(book, open_only=open_only))
        found = [one for one in judged if not wanted or wanted & one.words]
    found.sort(key=lambda one: one.place)
    if json:
        print(as_json(found))
        return
    console = terminal()
    if found:
        console.print(operations_table(found))
    console.print(Text(f"{len(found):,} operation{'' if len(found) == 1 else 's'}."))
    for one in found:
        waiting = waiting_of(one.judgement.operation)
        if waiting is not None:
            console.print(Text(f"{printable(one.judgement.operation.operation_id)} {printable(waiting.words(now))}"))


def as_json(found: list[Told]) -> str:
    """Operations in the shape that an audit has."""
    operations = {one.judgement.operation.operation_id: one.record() for one in found}
    facts = sum(len(one.judgement.operation.facts) for one in found)
    return orjson.dumps({"operations": operations, "histories": {}, "skipped": 0, "facts": facts}).decode()
