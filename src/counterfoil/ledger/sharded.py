"""A ledger in several PostgreSQL databases: operations are spread over them, and what reaches across is in the first.

One database away: its operations wait, and so do those that share something with them; all others go on. With the first
one away nobody can be judged, because nobody knows who shares what.
"""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

from counterfoil.evidence import Evidence, Folded
from counterfoil.facts import Fact, Gap
from counterfoil.ledger.faults import Kind, LedgerFault
from counterfoil.ledger.forks import Watched, tell_of_forks
from counterfoil.ledger.links import Link
from counterfoil.ledger.packing import is_storable, rows_of
from counterfoil.ledger.postgres import PostgresLedger
from counterfoil.ledger.postgres_claim import Claimed
from counterfoil.ledger.protocol import Claim, Ledger
from counterfoil.ledger.shard_claim import ClaimedOfSeveral, blocked
from counterfoil.ledger.shard_place import shard_of
from counterfoil.ledger.told import Told

T = TypeVar("T")

RETRY_S = 5.0
"""So long a database that could not be reached is left alone by judges, and who depends on it is judged later."""


class ShardedLedger(Watched):
    """A `Ledger` over several. Questions about one operation go to its database; the others are asked of all."""

    def __init__(
        self,
        bare: Sequence[PostgresLedger],
        shards: Sequence[Ledger],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``shards``: the same as ``bare``, each perhaps behind a `Relay`."""
        self._bare = tuple(bare)
        self._shards = tuple(shards)
        self._clock = clock
        self._away: dict[int, float] = {}
        self.forked()
        tell_of_forks(self)

    def forked(self) -> None:
        self._claiming = threading.Lock()

    def add(self, facts: Iterable[Fact | Gap], *, due: int) -> int:
        """Where one database can't be written, what belongs to the others is kept all the same, and then it raises."""
        known = list(facts)
        for fact in known:
            if isinstance(fact, Fact) and not is_storable(fact.operation_id):
                rows_of((fact,))  # raises, in the words that there are for it
        gaps = [fact for fact in known if isinstance(fact, Gap)]
        parts: list[list[Fact | Gap]] = [[] for _ in self._shards]
        for fact in known:
            if isinstance(fact, Gap):
                continue
            parts[self._of(fact.operation_id)].append(fact)
        new, faults = 0, []
        for number, part in enumerate(parts):
            try:
                if part:
                    new += self._asked(number, lambda shard, part=part: shard.add(part, due=due))  # type: ignore[misc]
                if gaps:  # each judges by its own, so that a gap makes its operations due; they count once
                    fresh = self._asked(number, lambda shard: shard.add(gaps, due=due))
                    new += 0 if number else fresh
            except LedgerFault as fault:
                faults.append(fault)
        if faults:
            raise faults[0]
        return new

    def facts(self, operation_ids: Collection[str]) -> Folded:
        found: dict[str, Evidence] = {}
        for number, names in self._by_shard(operation_ids).items():
            found |= self._asked(number, lambda shard, names=names: shard.facts(names)).operations  # type: ignore[misc]
        return Folded(found)

    def gaps(self) -> frozenset[Gap]:
        return self._asked(0, lambda shard: shard.gaps())

    def sharing(self, links: Collection[Link]) -> Mapping[Link, Sequence[str]]:
        return self._asked(0, lambda shard: shard.sharing(links))

    @contextmanager
    def claim(self, now: int, limit: int) -> Iterator[Claim]:
        if not self._claiming.acquire(blocking=False):
            yield ClaimedOfSeveral({}, self._of)  # another thread of this process claims
            return
        try:
            inner: dict[int, AbstractContextManager[Claimed]] = {}
            claimed = ClaimedOfSeveral({}, self._of)
            try:
                for number, most in self._shares(now, limit).items():
                    one = self._bare[number].claim(now, most)
                    claimed.take(number, self._asked(number, lambda _, one=one: one.__enter__()))  # type: ignore[misc]
                    inner[number] = one
                if away := self._known_away():
                    later = now + int(RETRY_S * 1_000_000_000)
                    claimed.postpone(blocked(self, claimed.operations, lambda name: self._of(name) in away), later)
                yield claimed
            except BaseException as error:
                for one in inner.values():
                    _left(one, error)
                raise
            for fault in [_left(one, None) for one in inner.values()]:
                if fault is not None:
                    raise fault
        finally:
            self._claiming.release()

    def hold(self, operation_id: str) -> bool:
        return self._asked(self._of(operation_id), lambda shard: shard.hold(operation_id))

    def release(self, operation_id: str) -> None:
        self._shards[self._of(operation_id)].release(operation_id)

    def told(self, operation_ids: Collection[str]) -> Mapping[str, Told]:
        found: dict[str, Told] = {}
        for number, names in self._by_shard(operation_ids).items():
            found |= self._asked(number, lambda shard, names=names: shard.told(names))  # type: ignore[misc]
        return found

    def operations(self, *, after: str = "", limit: int = 1_000, open_only: bool = False) -> Sequence[str]:
        return self._merged(lambda shard: shard.operations(after=after, limit=limit, open_only=open_only), limit)

    def settled(self, before: int, *, after: str = "", limit: int = 1_000) -> Sequence[str]:
        return self._merged(lambda shard: shard.settled(before, after=after, limit=limit), limit)

    def forget(self, operation_ids: Collection[str], before: int) -> int:
        parts = self._by_shard(operation_ids).items()
        return sum(self._asked(n, lambda shard, names=names: shard.forget(names, before)) for n, names in parts)  # type: ignore[misc]

    def close(self) -> None:
        for shard in self._shards:
            shard.close()

    def _of(self, operation_id: str) -> int:
        return shard_of(operation_id, len(self._shards))

    def _by_shard(self, operation_ids: Collection[str]) -> dict[int, list[str]]:
        parts: dict[int, list[str]] = {}
        for name in operation_ids:
            parts.setdefault(self._of(name), []).append(name)
        return parts

    def _merged(self, ask: Callable[[Ledger], Sequence[str]], limit: int) -> Sequence[str]:
        found = [self._asked(number, ask) for number in range(len(self._shards))]
        return list(heapq.merge(*found))[:limit]

    def _asked(self, number: int, ask: Callable[[Ledger], T]) -> T:
        """The answer of one database, of which it is remembered whether it can be reached."""
        try:
            answer = ask(self._shards[number])
        except LedgerFault as fault:
            if fault.kind is Kind.UNREACHABLE:
                self._away[number] = self._clock() + RETRY_S
            raise
        self._away.pop(number, None)
        return answer

    def _known_away(self) -> set[int]:
        return {number for number, until in self._away.items() if self._clock() < until}

    def _shares(self, now: int, limit: int) -> dict[int, int]:
        """How many to claim of each database that can be reached, so that the longest overdue of all come first. None
        of a database is a claim too, by which its operations can be woken. Raises where the first can't be reached."""
        overdue: list[tuple[int, int]] = []
        shares: dict[int, int] = {}
        away = self._known_away()
        for number, bare in enumerate(self._bare):
            if number and number in away:
                continue
            try:
                since = self._asked(number, lambda _, bare=bare: bare.overdue(now, limit))  # type: ignore[misc]
            except LedgerFault as fault:
                if fault.kind is not Kind.UNREACHABLE or not number:  # without the first nobody can be judged
                    raise
            else:
                shares[number] = 0
                overdue += ((at, number) for at in since)
        for _, number in heapq.nsmallest(limit, overdue):
            shares[number] += 1
        return shares


def _left(claim: AbstractContextManager[Claimed], error: BaseException | None) -> LedgerFault | None:
    """Leave a claim of one database, whatever became of the others. The fault that was met, if one was."""
    try:
        claim.__exit__(type(error) if error else None, error, None)
    except LedgerFault as fault:
        return None if fault is error else fault
    except BaseException as other:
        if other is not error:
            raise
    return None
