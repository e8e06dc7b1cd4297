"""Taking facts in: who may, how fast, and an answer that is given only when they are in the ledger."""

from __future__ import annotations

import hashlib
import hmac
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from counterfoil.facts import Fact, Gap
from counterfoil.ledger import Kind, Ledger, LedgerFault
from counterfoil.ledger.judging import SECOND
from counterfoil.serving.answers import Kept, Refused, Why
from counterfoil.serving.limits import Limits, Rate
from counterfoil.serving.parcels import Parcel
from counterfoil.telling.meters import Meters

READER = "fact"
UNSTORABLE = "unstorable"
_BEARER = "bearer "


class Tokens:
    """Bearer tokens, any of which opens. Without any, everybody may come in. Only their digests are kept."""

    def __init__(self, tokens: Iterable[str] = ()) -> None:
        self._digests = [hashlib.sha256(token.encode()).digest() for token in tokens]

    def __bool__(self) -> bool:
        return bool(self._digests)

    def check(self, header: str | None) -> None:
        """Every token is compared in whole, so that the time it takes says nothing. Raises `Refused`."""
        if not self._digests:
            return
        said = header or ""
        is_bearer = said[: len(_BEARER)].lower() == _BEARER
        digest = hashlib.sha256(said[len(_BEARER) :].strip().encode("utf-8", "surrogatepass")).digest()
        matches = [hmac.compare_digest(digest, known) for known in self._digests]
        if not is_bearer or not any(matches):
            raise Refused(Why.UNAUTHENTICATED)


class Taking:
    """One for all threads of a judge. ``settle_after_s``: an operation is due so long after it learned something."""

    def __init__(
        self,
        ledger: Ledger,
        meters: Meters,
        tokens: Tokens,
        limits: Limits,
        *,
        settle_after_s: float,
        now: Callable[[], int] = time.time_ns,
    ) -> None:
        self._ledger = ledger
        self._meters = meters
        self.tokens = tokens
        self.limits = limits
        self._settle_after = int(settle_after_s * SECOND)
        self._now = now
        self._rate = Rate(limits.rate)
        self._places = threading.Semaphore(limits.waiting)
        self._leaving = False

    def leave(self) -> None:
        """From now on senders are told to come back; what is under way is finished."""
        self._leaving = True

    @property
    def is_leaving(self) -> bool:
        return self._leaving

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place among those that are worked on. Raises `Refused` at once where there is none."""
        if self._leaving:
            raise Refused(Why.LEAVING)
        if not self._places.acquire(blocking=False):
            raise Refused(Why.BUSY)
        try:
            yield
        finally:
            self._places.release()

    def take(self, parcel: Parcel) -> Kept:
        """Keep a request's facts. When this returns they are in the ledger. Raises `Refused`, and then they may be in
        part: sending them again changes nothing."""
        self._rate.spend(len(parcel.facts))
        try:
            new = self._add(parcel.facts)
        except LedgerFault as fault:
            if fault.kind is not Kind.UNSTORABLE:
                raise Refused(Why.LEDGER, 2.0) from fault
            new = self._one_by_one(parcel)
        if parcel.facts:
            self._meters.facts({READER: len(parcel.facts)})
            self._meters.duplicates(len(parcel.facts) - new)
        self._meters.dropped(parcel.rejected)
        return Kept(dict(parcel.rejected))

    def refused(self, refused: Refused) -> None:
        """Count a request that was refused as a whole; nobody knows how many facts were in it."""
        self._meters.error(f"refused:{refused.why.word}")

    def _add(self, facts: Sequence[Fact | Gap]) -> int:
        return self._ledger.add(facts, due=self._now() + self._settle_after) if facts else 0

    def _one_by_one(self, parcel: Parcel) -> int:
        """There is a fact among these that no ledger can keep; the others must not suffer for it."""
        new, kept = 0, []
        for fact in parcel.facts:
            try:
                new += self._add([fact])
                kept.append(fact)
            except LedgerFault as fault:
                if fault.kind is not Kind.UNSTORABLE:
                    raise Refused(Why.LEDGER, 2.0) from fault
                parcel.rejected[UNSTORABLE] += 1
        parcel.facts = kept
        return new
