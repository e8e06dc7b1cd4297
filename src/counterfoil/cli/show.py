"""`counterfoil show`: one operation of a ledger, for whoever has to decide."""

from __future__ import annotations

import sys
from time import time_ns
from typing import Annotated

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from counterfoil.auditing.told import told
from counterfoil.cli.ledgers import LedgerOption, opened
from counterfoil.cli.list import as_json
from counterfoil.cli.pages import HtmlOption, write_page
from counterfoil.cli.terminal import printable, terminal
from counterfoil.config import Config
from counterfoil.explain import explain
from counterfoil.five_facts import five_facts, timeline
from counterfoil.judge import Judgement
from counterfoil.ledger.looking import look_up

UNKNOWN = 1

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def show(
    operation: Annotated[str, typer.Argument(metavar="OPERATION", help="The operation's id.")],
    ledger: LedgerOption = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object, as `audit --json` writes it.")] = False,
    html: HtmlOption = None,
) -> None:
    """What is known of one operation: the verdict, five facts, and what happened in order of time.

    --html draws the same as a page that needs no network. Exit codes: 0 done; 1 no such operation; 2 usage; 3 the
    ledger can't be used.
    """
    with opened(ledger) as book:
        judgement = look_up(book, operation)
    if judgement is None:
        print(f"the ledger holds nothing of {printable(operation)!r}", file=sys.stderr)
        raise typer.Exit(UNKNOWN)
    now = time_ns()
    one = told(judgement, now, Config.load()[0])
    if html is not None:
        from counterfoil.drawing.page import operation_page

        write_page(html, operation_page(one, now))
    if json:
        print(as_json([one]))
        return
    console = terminal()
    words = ", ".join([judgement.verdict.value, *(f.value for f in judgement.findings if f is not judgement.verdict)])
    console.print(Text(f"{words}: {printable(explain(judgement))}", "bold"))
    console.print(Text(f"next: {judgement.next_action}"))
    console.print(_facts(judgement, now))
    console.print(_timeline(judgement))


def _facts(judgement: Judgement, now: int) -> Table:
    table = Table(show_header=False, box=box.SIMPLE, pad_edge=False)
    for about, fact in five_facts(judgement, now).items():
        table.add_row(Text(about, "dim"), Text(printable(fact), overflow="fold"))
    return table


def _timeline(judgement: Judgement) -> Table:
    table = Table("", "when", "who", "what", box=box.SIMPLE_HEAD, pad_edge=False, caption="* bears the verdict out")
    for event in timeline(judgement):
        table.add_row("*" if event.bears_out else "", event.at, event.role, Text(printable(event.what)))
    return table
