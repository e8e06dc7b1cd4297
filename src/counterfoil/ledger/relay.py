"""A shared ledger that may be out of reach, and a file on this host where facts wait until it isn't.

At-least-once is enough: a fact that arrives twice is one fact, and the order in which facts arrive changes nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager, suppress

from counterfoil.evidence import Folded, merge
from counterfoil.facts import Fact, Gap
from counterfoil.ledger.faults import Kind, LedgerFault
from counterfoil.ledger.forks import Watched, tell_of_forks
from counterfoil.ledger.onward import Onward
from counterfoil.ledger.protocol import BATCH, Claim, Ledger
from counterfoil.ledger.sqlite import SqliteLedger

AT_ONCE = 16
"""Batches of what waits that one look for what is due takes along."""


class Relay(Onward, Watched):
    """A `Ledger` that keeps what it is given while the shared one is out of reach.

    After a failure the shared ledger is left alone for ``retry_after_s``, so that a call waits for a server that is
    gone once in that time. Then each `add` that gets through takes one batch along of what waits, its own process's or
    another's; a look for what is due takes more, and `follow` takes all. Every other question is asked of the shared
    ledger, and `facts` of both.
    """

    def __init__(
        self,
        shared: Ledger,
        spool: SqliteLedger,
        *,
        retry_after_s: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(shared)
        self._spool = spool
        self._retry_after_s = retry_after_s
        self._clock = clock
        self._away_until = 0.0
        self._may_wait = True  # an earlier process may have left something
        self.forked()
        tell_of_forks(self)

    def forked(self) -> None:
        self._following = threading.Lock()

    def add(self, facts: Iterable[Fact | Gap], *, due: int) -> int:
        known = list(facts)
        if self._clock() >= self._away_until:
            try:
                new = self._asked.add(known, due=due)
            except LedgerFault as fault:
                if fault.kind is Kind.UNSTORABLE:
                    raise
                self._away_until = self._clock() + self._retry_after_s
            else:
                if self._may_wait:
                    with suppress(LedgerFault):  # these facts are kept; those wait on
                        self._follow_some(due)
                return new
        self._may_wait = True
        return self._spool.add(known, due=due)

    def follow(self, now: int) -> int:
        """Bring all that waits to the shared ledger, due ``now``; how many facts. Raises `LedgerFault` where that can't
        be done; what has not arrived waits on."""
        moved = 0
        while some := self._follow_some(now):
            moved += some
        return moved

    def _follow_some(self, due: int) -> int:
        if not self._following.acquire(blocking=False):
            return 0
        try:
            with self._spool.drained(BATCH) as facts:
                if facts:
                    self._asked.add(facts, due=due)
                self._may_wait = bool(facts)
                return len(facts)
        finally:
            self._following.release()

    def facts(self, operation_ids: Collection[str]) -> Folded:
        return merge(self._asked.facts(operation_ids), self._spool.facts(operation_ids))

    def gaps(self) -> frozenset[Gap]:
        return self._asked.gaps() | self._spool.gaps()

    def claim(self, now: int, limit: int) -> AbstractContextManager[Claim]:
        if self._may_wait and self._clock() >= self._away_until:
            with suppress(LedgerFault):  # it is away, as the claim will say
                for _ in range(AT_ONCE):
                    if self._follow_some(now) < BATCH:
                        break
        return self._asked.claim(now, limit)

    def close(self) -> None:
        super().close()
        self._spool.close()
