"""Small worlds of evidence as a ledger keeps them, and judging them to the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from counterfoil.evidence import Folded
from counterfoil.facts import Fact, Gap
from counterfoil.judge import judge_all
from counterfoil.ledger.judging import Pass, Telling, Timing, judge_due, said_of
from counterfoil.ledger.packing import fact_of, gap_of, rows_of
from counterfoil.ledger.protocol import Ledger
from counterfoil.ledger.told import Said
from counterfoil.verdicts import Outcome, Severity
from tests.strategies import gaps, held, meant, rivals, sent, unread

LATE = 10**18
"""A time at which everything is settled and every deadline has passed."""

OPERATIONS = ("op-1", "op-2", "op-3", "op-4")
AT_ONCE = Timing(settle_after=0, deadline=0)

SETTLED = Said(
    verdict=Outcome.VERIFIED_APPLIED,
    outcome=Outcome.VERIFIED_APPLIED,
    findings=(),
    reason=None,
    severity=Severity.NONE,
    open=False,
)
"""What is said of an operation that took effect once, and of which nothing more is awaited."""


def somebodys(fact: SearchStrategy[Fact]) -> SearchStrategy[Fact]:
    return st.builds(lambda fact, name: replace(fact, operation_id=name), fact, st.sampled_from(OPERATIONS))


crowds = st.one_of(
    st.lists(st.one_of(somebodys(st.one_of(sent, rivals, held, held, meant, meant, unread)), gaps), max_size=12),
    st.lists(somebodys(st.one_of(held, meant)), min_size=5, max_size=10),
)
"""Facts about four operations that share keys, references and intents."""


def as_kept(fact: Fact | Gap) -> Fact | Gap:
    """The fact as any reader gives it back: keys are fingerprints."""
    rows = rows_of([fact])
    return gap_of(rows.gaps[0].record) if rows.gaps else fact_of(rows.facts[0].operation_id, rows.facts[0].record)


def judge_to_the_end(
    ledger: Ledger, tell: Callable[[Telling], None] = lambda telling: None, *, now: int = LATE, limit: int = 200
) -> int:
    """Pass after pass until nothing is due; how many tellings there were."""
    told = 0
    while (done := judge_due(ledger, tell, now=now, timing=lambda tool: AT_ONCE, limit=limit)) != Pass():
        told += done.told
    return told


def said(folded: Folded) -> dict[str, Said]:
    """What one process that knows everything would say."""
    return {name: said_of(judgement, overdue=True) for name, judgement in judge_all(folded).items()}
