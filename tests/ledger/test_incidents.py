"""An incident that an agent told of and a worker knows of is one: both count it, and nobody may add them up."""

from __future__ import annotations

from counterfoil.book.durable import DurableBook
from counterfoil.config import Config
from counterfoil.ledger import open_ledger
from counterfoil.testing import story
from counterfoil.verdicts import Outcome

SECOND = 1_000_000_000


def book(url: str) -> DurableBook:
    faults: list[Exception] = []
    ledger = open_ledger(url)
    return DurableBook(Config(), ledger, lambda _: None, faults.append, clock=lambda: 0, now=lambda: 100 * SECOND)


def test_who_told_it_and_who_stands_for_all_count_it_each(durable_url: str) -> None:
    agent, worker = book(durable_url), book(durable_url)
    agent.add(story("intent pay at=0; receipt pay_1 at=1; receipt pay_2 at=2"))
    agent.settle(running=False)
    worker.due()
    worker.take_over()

    counts = [one.incidents[Outcome.DUPLICATE_EFFECT] for one in (agent, worker)]
    assert counts == [1, 1]
    assert max(counts) == 1, "what docs/configure.md says to read: the largest, or the worker's"
