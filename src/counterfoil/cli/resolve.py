"""`counterfoil resolve`: a person says what is, and that is evidence."""

from __future__ import annotations

import sys
from enum import StrEnum
from time import time_ns
from typing import Annotated

import typer

from counterfoil.cli.ledgers import LedgerOption, opened
from counterfoil.cli.terminal import printable
from counterfoil.explain import explain
from counterfoil.facts import HUMAN, Effect
from counterfoil.ledger.looking import look_up

UNKNOWN = 1
MAX_WORDS = 1_000

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


class Decision(StrEnum):
    """What a person found."""

    APPLIED = "applied"
    NOT_APPLIED = "not-applied"


@app.command()
def resolve(
    operation: Annotated[str, typer.Argument(metavar="OPERATION", help="The operation's id.")],
    decision: Annotated[Decision, typer.Argument(help="Whether the target holds its effect.")],
    by: Annotated[str, typer.Option(help="Who looked: a name that others can ask.")],
    why: Annotated[str, typer.Option(help="What was looked at.")],
    ledger: LedgerOption = None,
) -> None:
    """Say what a person found at the target. It is kept as a fact with a human source, revises the verdict and closes
    the incident; what is told of it comes with the next pass of `counterfoil reconcile`, or of an agent on this ledger.

    Effects that exist stay on record: a duplicate that a person has settled stays a duplicate, and nobody waits for it
    any more. Exit codes: 0 done; 1 no such operation; 2 usage; 3 the ledger can't be used.
    """
    for name, words in (("--by", by), ("--why", why)):
        if not words.strip() or len(words) > MAX_WORDS // 2:
            raise typer.BadParameter(f"say it in 1 to {MAX_WORDS // 2} characters", param_hint=name)
    with opened(ledger) as book:
        before = look_up(book, operation)
        if before is None:
            print(f"the ledger holds nothing of {printable(operation)!r}", file=sys.stderr)
            raise typer.Exit(UNKNOWN)
        now = time_ns()
        meant = before.operation.expected_count
        fact = Effect(
            operation_id=operation,
            observed_at=now,
            source=HUMAN,
            authoritative=True,
            count=meant if decision is Decision.APPLIED else 0,
            why=f"{by.strip()}: {why.strip()}",
            expected_count=meant if meant != 1 else None,
        )
        book.add([fact], due=now)
        after = look_up(book, operation)
    if after is not None:
        print(f"{before.verdict.value} -> {after.verdict.value}: {printable(explain(after))}")
