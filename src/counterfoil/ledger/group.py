"""Many callers, one transaction: who comes while another writes is written by the next, together with all who came.

With a disk that takes 4 ms to say that something is on it, ten threads that write one fact each wait for two
transactions instead of ten.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

from counterfoil.ledger.faults import Kind, LedgerFault
from counterfoil.ledger.forks import Watched, tell_of_forks
from counterfoil.ledger.packing import Rows

Batch = tuple[Rows, int]
"""Facts, and when the operations that they are about are due."""


class Group(Watched):
    """Writes what several threads bring in as few transactions as can be, at most ``most`` facts in each."""

    def __init__(
        self, write: Callable[[Sequence[Batch]], Sequence[int]], *, ledger: str, most: int, patience_s: float
    ) -> None:
        self._write = write
        self._ledger = ledger
        self._most = most
        self._patience_s = patience_s
        self.forked()
        tell_of_forks(self)

    def forked(self) -> None:
        """In a child: nobody waits and nobody writes."""
        self._waiting: deque[_Ticket] = deque()
        self._writing = threading.Lock()

    def add(self, batch: Batch) -> int:
        """When this returns, the batch is written; answers how many facts were new. Raises what writing it raised."""
        ticket = _Ticket(batch)
        self._waiting.append(ticket)
        if not self._writing.acquire(timeout=self._patience_s):
            with suppress(ValueError):
                self._waiting.remove(ticket)
                raise self._fault(f"other threads have been writing for {self._patience_s:g} s")
            self._writing.acquire()  # it is being written right now
        try:
            while not ticket.done:
                self._write_some()
        finally:
            self._writing.release()
        if ticket.error is not None:
            raise ticket.error
        return ticket.new

    def _write_some(self) -> None:
        tickets = [self._waiting.popleft()]
        facts = len(tickets[0].batch[0])
        while self._waiting and facts + len(self._waiting[0].batch[0]) <= self._most:
            tickets.append(self._waiting.popleft())
            facts += len(tickets[-1].batch[0])
        try:
            written = self._write([ticket.batch for ticket in tickets])
        except BaseException as error:
            for ticket in tickets:
                ticket.done = True
                ticket.error = error if isinstance(error, Exception) else self._fault("the writer was interrupted")
            if not isinstance(error, Exception):
                raise
        else:
            for ticket, new in zip(tickets, written, strict=True):
                ticket.done, ticket.new = True, new

    def _fault(self, what: str) -> LedgerFault:
        return LedgerFault(Kind.LOCKED, self._ledger, what)


class _Ticket:
    __slots__ = ("batch", "done", "error", "new")

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.done = False
        self.new = 0
        self.error: Exception | None = None
