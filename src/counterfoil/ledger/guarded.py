"""Adding facts from inside an agent: whatever is wrong with the ledger, the agent goes on.

Nothing in here raises. A fault is counted, told once until it is over, and followed by trying again; meanwhile facts
are kept in memory, so many and no more. What could not be kept is a gap, which is written when the ledger is well
again: the operations that it may concern stay in doubt, and say why.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

from counterfoil.facts import Fact, Gap
from counterfoil.ledger.faults import Kind, LedgerFault
from counterfoil.ledger.forks import Watched, tell_of_forks
from counterfoil.ledger.protocol import BATCH, Ledger

BACKLOG = 10_000
"""Facts kept in memory while the ledger is not well: some 10 MB at most."""


class Guarded(Watched):
    """Adds to a ledger that may fail. Safe for threads; a forked child starts with nothing kept."""

    def __init__(
        self,
        ledger: Ledger,
        on_fault: Callable[[LedgerFault], None] = lambda fault: None,
        *,
        process: str | None = None,
        backlog: int = BACKLOG,
        retry_after_s: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], int] = time.time_ns,
    ) -> None:
        self._ledger = ledger
        self._on_fault = on_fault
        self._process = process
        self._most = backlog
        self._retry_after_s = retry_after_s
        self._clock = clock
        self._now = now
        self._faults: Counter[Kind] = Counter()
        self.forked()
        tell_of_forks(self)

    def forked(self) -> None:
        """In a child: what the parent keeps, the parent writes."""
        self._kept: deque[tuple[Fact | Gap, int]] = deque()
        self._writing = threading.Lock()
        self._retry_at = 0.0
        self._told: set[Kind] = set()
        self._lost = 0
        self._gaps: set[str] = set()

    @property
    def faults(self) -> Mapping[Kind, int]:
        """How often which fault was met."""
        return dict(self._faults)

    @property
    def waiting(self) -> int:
        """Facts that are kept in memory only."""
        return len(self._kept)

    @property
    def lost(self) -> int:
        """Facts that were dropped since the ledger was well last."""
        return self._lost

    def add(self, facts: Iterable[Fact | Gap], *, due: int) -> bool:
        """Whether these facts are in the ledger now. Never raises; waits at most as long as the ledger is patient, once
        in ``retry_after_s`` while it isn't well."""
        try:
            known = list(facts)
        except Exception as error:
            self._met(error)
            return False
        if not self._kept and self._clock() >= self._retry_at and self._added(known, due):
            self._well()
            return True
        room = max(0, self._most - len(self._kept))
        self._kept.extend((fact, due) for fact in known[:room])
        self._drop(len(known) - room)
        return self.flush()

    def flush(self, *, last: bool = False) -> bool:
        """Write what is kept, where it is time to try again, or ``last``, since there will be no other time. Whether
        nothing is kept any more. Never raises."""
        if (not last and self._clock() < self._retry_at) or not self._writing.acquire(blocking=False):
            return False
        try:
            while self._kept:
                some = [self._kept[n] for n in range(min(BATCH, len(self._kept)))]
                if not self._added([fact for fact, _ in some], min(due for _, due in some)):
                    return False
                for _ in some:
                    self._kept.popleft()
            self._retry_at = 0.0
            self._well()
            return True
        finally:
            self._writing.release()

    def close(self) -> int:
        """Try once more, and let go. How many facts are in no ledger."""
        self.flush(last=True)
        with suppress(Exception):
            self._ledger.close()
        return len(self._kept) + self._lost

    def _added(self, facts: list[Fact | Gap], due: int) -> bool:
        """Whether these are out of our hands: in the ledger, or such as no ledger can keep."""
        try:
            self._ledger.add(facts, due=due)
        except LedgerFault as fault:
            if fault.kind is not Kind.UNSTORABLE:
                return self._met(fault)
            self._met(fault)
        except Exception as error:
            return self._met(error)
        else:
            return True
        if len(facts) == 1:
            self._drop(1)
            return True
        alone = [self._added([fact], due) for fact in facts]
        return all(alone)

    def _met(self, error: Exception) -> bool:
        """A fault was met. Always False, which is what came of it."""
        fault = error if isinstance(error, LedgerFault) else LedgerFault(Kind.OTHER, "", type(error).__name__)
        self._faults[fault.kind] += 1
        if fault.kind is not Kind.UNSTORABLE:
            self._retry_at = self._clock() + self._retry_after_s
        if fault.kind is Kind.GONE:
            self._gaps.add("the ledger's file was deleted or replaced while in use")
        if fault.kind not in self._told:
            self._told.add(fault.kind)
            with suppress(Exception):
                self._on_fault(fault)
        return False

    def _drop(self, facts: int) -> None:
        self._lost += max(0, facts)

    def _well(self) -> None:
        """The ledger is well: say what is missing, and tell of the next fault again."""
        if not self._lost and not self._gaps:
            self._told.clear()
            return
        lost, what = self._lost, sorted(self._gaps)
        if lost:
            what.append(f"{lost} facts were dropped: the ledger could not keep them")
        gaps: list[Fact | Gap] = [Gap(what=one, observed_at=self._now(), process=self._process) for one in what]
        if self._added(gaps, self._now()):
            self._lost -= lost
            self._gaps.clear()
            self._told.clear()
