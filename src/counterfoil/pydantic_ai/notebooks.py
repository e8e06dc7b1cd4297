"""Where the capability keeps what it states: a ledger that outlives the process, or so much memory."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import Protocol

from counterfoil.evidence import Evidence
from counterfoil.facts import Fact
from counterfoil.judge import Judgement, judge
from counterfoil.ledger import Ledger
from counterfoil.ledger.looking import look_up
from counterfoil.operations import operation_from

MAX_OPERATIONS = 10_000
"""So many operations are remembered in memory; of more, the oldest is forgotten, and may then be repeated."""


class Notebook(Protocol):
    """May raise `LedgerFault`."""

    def add(self, facts: Iterable[Fact]) -> int:
        """Keep these facts; how many were new, which is decided once for all processes that share the notebook."""

    def look(self, operation_id: str) -> Judgement | None:
        """The judgement on an operation, as of now; None where nothing is known of it."""


class InMemory:
    """For a guard without a durable ledger: it holds repeats within this process only."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._facts: OrderedDict[str, Evidence] = OrderedDict()

    def add(self, facts: Iterable[Fact]) -> int:
        new = 0
        with self._lock:
            for fact in facts:
                known = self._facts.setdefault(fact.operation_id, Evidence())
                new += fact not in known
                self._facts[fact.operation_id] = known | {fact}
                if len(self._facts) > MAX_OPERATIONS:
                    self._facts.popitem(last=False)
        return new

    def facts(self) -> Mapping[str, Evidence]:
        """All that is remembered, by operation, as of now."""
        with self._lock:
            return dict(self._facts)

    def look(self, operation_id: str) -> Judgement | None:
        known = self._facts.get(operation_id)
        return None if known is None else judge(operation_from(operation_id, known))


class Durable:
    """A ledger. ``settle_after_s``: how long an operation is left alone before it is judged."""

    def __init__(self, ledger: Ledger, settle_after_s: float) -> None:
        self._ledger = ledger
        self._settle_ns = int(settle_after_s * 1e9)

    def add(self, facts: Iterable[Fact]) -> int:
        return self._ledger.add(facts, due=time.time_ns() + self._settle_ns)

    def look(self, operation_id: str) -> Judgement | None:
        if not self._ledger.facts([operation_id]).operations:
            return None  # most calls are the first of theirs: what it shares with others needs no reading then
        return look_up(self._ledger, operation_id)
