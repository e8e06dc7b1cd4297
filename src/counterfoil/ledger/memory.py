"""A ledger in this process's memory: it answers like the others and outlives nothing.

For tests, for a short script, and for an agent whose operations don't outlive it. It grows by about 2 kB a fact until
`forget` is called; a book that bounds itself is another thing. Safe for threads. A forked child starts with a copy.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right, insort
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Lock

from counterfoil.evidence import NONE, Folded
from counterfoil.facts import Fact, Gap
from counterfoil.ledger.holding import Held
from counterfoil.ledger.links import Link, links_of
from counterfoil.ledger.packing import rows_of
from counterfoil.ledger.protocol import MAX_SHARING
from counterfoil.ledger.told import GAP_MATTERS, Told


@dataclass(slots=True)
class _Due:
    """When an operation is due, whether it has news, and how often it was asked for: what a claim saw may be old."""

    at: int
    news: bool
    asked: int = 0

    def ask(self, at: int, news: bool) -> None:
        self.at = min(self.at, at)
        self.news = self.news or news
        self.asked += 1


@dataclass(slots=True)
class _Asked:
    """What a claim in memory holds: the operations, and what holds when it ends."""

    ledger: MemoryLedger
    operations: Mapping[str, bool]
    _wakes: list[tuple[str, int]] = field(default_factory=list)
    _delivered: list[Told] = field(default_factory=list)

    def announce(self, tellings: Iterable[Told]) -> frozenset[str]:
        return self.ledger._announce(tellings)

    def delivered(self, tellings: Iterable[Told]) -> None:
        self._delivered.extend(tellings)

    def wake(self, operation_ids: Iterable[str], at: int) -> None:
        self._wakes.extend((operation_id, at) for operation_id in operation_ids)


class MemoryLedger:
    """A `Ledger` in memory."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._facts: dict[str, set[Fact]] = {}
        self._names: list[str] = []
        self._gaps: set[Gap] = set()
        self._links: dict[Link, set[str]] = {}
        self._due: dict[str, _Due] = {}
        self._told: dict[str, Told] = {}
        self._claimed: set[str] = set()
        self._held = Held()

    def add(self, facts: Iterable[Fact | Gap], *, due: int) -> int:
        known = list(facts)
        rows_of(known)  # what another ledger could not keep isn't kept here either
        with self._lock:
            return sum(self._add(fact, due) for fact in known)

    def _add(self, fact: Fact | Gap, due: int) -> bool:
        if isinstance(fact, Gap):
            return self._add_gap(fact, due)
        name = fact.operation_id
        if name not in self._facts:
            self._facts[name] = set()
            insort(self._names, name)
        if fact in self._facts[name]:
            return False
        self._facts[name].add(fact)
        for link in links_of(fact):
            self._links.setdefault(link, set()).add(name)
        self._ask(name, due, news=True)
        return True

    def _add_gap(self, gap: Gap, due: int) -> bool:
        if gap in self._gaps:
            return False
        self._gaps.add(gap)
        touched = (name for name, told in self._told.items() if told.said.outcome in GAP_MATTERS)
        for name in {*touched, *self._due}:
            self._ask(name, due, news=False)
        return True

    def _ask(self, name: str, at: int, news: bool) -> None:
        self._due.setdefault(name, _Due(at, news)).ask(at, news)

    def facts(self, operation_ids: Collection[str]) -> Folded:
        with self._lock:
            return Folded({name: NONE.union(self._facts[name]) for name in operation_ids if name in self._facts})

    def gaps(self) -> frozenset[Gap]:
        with self._lock:
            return frozenset(self._gaps)

    def sharing(self, links: Collection[Link]) -> Mapping[Link, Sequence[str]]:
        with self._lock:
            return {link: heapq.nsmallest(MAX_SHARING, self._links[link]) for link in links if self._links.get(link)}

    @contextmanager
    def claim(self, now: int, limit: int) -> Iterator[_Asked]:
        with self._lock:
            ripe = [(due.at, name) for name, due in self._due.items() if due.at <= now and name not in self._claimed]
            names = [name for _, name in heapq.nsmallest(limit, ripe)]
            seen = {name: replace(self._due[name]) for name in names}
            self._claimed.update(names)
        try:
            claim = _Asked(self, {name: due.news for name, due in seen.items()})
            yield claim
            with self._lock:
                self._settle(claim, seen)
        finally:
            with self._lock:
                self._claimed.difference_update(names)

    def hold(self, operation_id: str) -> bool:
        return self._held.hold(operation_id)

    def release(self, operation_id: str) -> None:
        self._held.release(operation_id)

    def _settle(self, claim: _Asked, seen: Mapping[str, _Due]) -> None:
        for name, due in seen.items():
            if name in self._due and self._due[name].asked == due.asked:
                del self._due[name]
        for told in claim._delivered:
            if self._told.get(told.operation_id) == told:
                self._told[told.operation_id] = replace(told, delivered=True)
        for name, at in claim._wakes:
            self._ask(name, at, news=False)

    def _announce(self, tellings: Iterable[Told]) -> frozenset[str]:
        with self._lock:
            newer = [t for t in tellings if (b := self._told.get(t.operation_id)) is None or b.revision < t.revision]
            self._told.update((told.operation_id, told) for told in newer)
            return frozenset(told.operation_id for told in newer)

    def told(self, operation_ids: Collection[str]) -> Mapping[str, Told]:
        with self._lock:
            return {name: self._told[name] for name in operation_ids if name in self._told}

    def operations(self, *, after: str = "", limit: int = 1_000, open_only: bool = False) -> Sequence[str]:
        with self._lock:
            rest = self._names[bisect_right(self._names, after) :]
            return [name for name in rest if not open_only or self._is_open(name)][:limit]

    def settled(self, before: int, *, after: str = "", limit: int = 1_000) -> Sequence[str]:
        with self._lock:
            rest = self._names[bisect_right(self._names, after) :]
            return [name for name in rest if self._is_settled(name, before)][:limit]

    def _is_open(self, name: str) -> bool:
        return name not in self._told or self._told[name].said.open

    def _is_settled(self, name: str, before: int) -> bool:
        told = self._told.get(name)
        idle = name not in self._due and name not in self._claimed
        return told is not None and idle and not told.said.open and told.delivered and told.at < before

    def forget(self, operation_ids: Collection[str], before: int) -> int:
        with self._lock:
            gone = {name for name in operation_ids if self._is_settled(name, before)}
            for name in gone:
                for link in {link for fact in self._facts.pop(name, ()) for link in links_of(fact)}:
                    self._links[link].discard(name)
                    if not self._links[link]:
                        del self._links[link]
                del self._told[name]
            self._names = [name for name in self._names if name not in gone]
            return len(gone)

    def close(self) -> None:
        """Nothing to let go of."""
