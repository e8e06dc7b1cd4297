"""Looking things up in a ledger for people: judged anew from the facts, with all that they share something with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from counterfoil.across import around
from counterfoil.judge import Judgement, judge
from counterfoil.ledger.protocol import Ledger
from counterfoil.ledger.related import neighbourhood
from counterfoil.operations import operation_from

AT_ONCE = 200
"""So many operations are read together."""


def look_up(ledger: Ledger, operation_id: str) -> Judgement | None:
    """The judgement on one operation, as of now; None where the ledger holds nothing of it. Raises `LedgerFault`."""
    return next(iter(judged(ledger, [operation_id])), None)


def judged(ledger: Ledger, operation_ids: Sequence[str]) -> Iterator[Judgement]:
    """The judgements on these operations, in their order; those that nothing is known of are left out."""
    near = neighbourhood(ledger, operation_ids)
    operations = {name: operation_from(name, facts) for name, facts in near.folded.operations.items()}
    surroundings = around(operations.values(), near.folded.gaps)
    for name in operation_ids:
        if name in operations:
            yield judge(operations[name], surroundings)


def every(ledger: Ledger, *, open_only: bool = False) -> Iterator[Judgement]:
    """All operations of a ledger in the order of their ids; ``open_only``: those that somebody waits for."""
    after = ""
    while names := ledger.operations(after=after, limit=AT_ONCE, open_only=open_only):
        yield from judged(ledger, names)
        after = names[-1]
