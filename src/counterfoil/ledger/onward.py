"""A ledger that asks another one. Whoever extends it says what it does otherwise."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager

from counterfoil.evidence import Folded
from counterfoil.facts import Fact, Gap
from counterfoil.ledger.links import Link
from counterfoil.ledger.protocol import Claim, Ledger
from counterfoil.ledger.told import Told


class Onward:
    """Every question of a `Ledger`, put to ``asked``, which it closes with itself."""

    def __init__(self, asked: Ledger) -> None:
        self._asked = asked

    def add(self, facts: Iterable[Fact | Gap], *, due: int) -> int:
        return self._asked.add(facts, due=due)

    def facts(self, operation_ids: Collection[str]) -> Folded:
        return self._asked.facts(operation_ids)

    def gaps(self) -> frozenset[Gap]:
        return self._asked.gaps()

    def sharing(self, links: Collection[Link]) -> Mapping[Link, Sequence[str]]:
        return self._asked.sharing(links)

    def claim(self, now: int, limit: int) -> AbstractContextManager[Claim]:
        return self._asked.claim(now, limit)

    def hold(self, operation_id: str) -> bool:
        return self._asked.hold(operation_id)

    def release(self, operation_id: str) -> None:
        self._asked.release(operation_id)

    def told(self, operation_ids: Collection[str]) -> Mapping[str, Told]:
        return self._asked.told(operation_ids)

    def operations(self, *, after: str = "", limit: int = 1_000, open_only: bool = False) -> Sequence[str]:
        return self._asked.operations(after=after, limit=limit, open_only=open_only)

    def settled(self, before: int, *, after: str = "", limit: int = 1_000) -> Sequence[str]:
        return self._asked.settled(before, after=after, limit=limit)

    def forget(self, operation_ids: Collection[str], before: int) -> int:
        return self._asked.forget(operation_ids, before)

    def close(self) -> None:
        self._asked.close()
