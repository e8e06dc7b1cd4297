"""A ledger in which a verdict counts as told only when somebody has heard it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager

from counterfoil.evidence import Folded
from counterfoil.facts import Fact, Gap
from counterfoil.ledger import Claim, Ledger, Told
from counterfoil.ledger.links import Link


class _HeardClaim:
    def __init__(self, claim: Claim, send: Callable[[], None]) -> None:
        self._claim = claim
        self._send = send

    @property
    def operations(self) -> Mapping[str, bool]:
        return self._claim.operations

    def announce(self, tellings: Iterable[Told]) -> frozenset[str]:
        return self._claim.announce(tellings)

    def delivered(self, tellings: Iterable[Told]) -> None:
        told = list(tellings)
        if told:
            self._send()
        self._claim.delivered(told)

    def wake(self, operation_ids: Iterable[str], at: int) -> None:
        self._claim.wake(operation_ids, at)


class Heard:
    """The same `Ledger`. ``send`` brings out what was told under a claim, and raises where it didn't arrive: then the
    claim ends by that, which gives everything back."""

    def __init__(self, ledger: Ledger, send: Callable[[], None]) -> None:
        self._ledger = ledger
        self._send = send

    @contextmanager
    def _claimed(self, now: int, limit: int) -> Iterator[Claim]:
        with self._ledger.claim(now, limit) as claim:
            yield _HeardClaim(claim, self._send)

    def claim(self, now: int, limit: int) -> AbstractContextManager[Claim]:
        return self._claimed(now, limit)

    def add(self, facts: Iterable[Fact | Gap], *, due: int) -> int:
        return self._ledger.add(facts, due=due)

    def facts(self, operation_ids: Collection[str]) -> Folded:
        return self._ledger.facts(operation_ids)

    def gaps(self) -> frozenset[Gap]:
        return self._ledger.gaps()

    def sharing(self, links: Collection[Link]) -> Mapping[Link, Sequence[str]]:
        return self._ledger.sharing(links)

    def hold(self, operation_id: str) -> bool:
        return self._ledger.hold(operation_id)

    def release(self, operation_id: str) -> None:
        self._ledger.release(operation_id)

    def told(self, operation_ids: Collection[str]) -> Mapping[str, Told]:
        return self._ledger.told(operation_ids)

    def operations(self, *, after: str = "", limit: int = 1_000, open_only: bool = False) -> Sequence[str]:
        return self._ledger.operations(after=after, limit=limit, open_only=open_only)

    def settled(self, before: int, *, after: str = "", limit: int = 1_000) -> Sequence[str]:
        return self._ledger.settled(before, after=after, limit=limit)

    def forget(self, operation_ids: Collection[str], before: int) -> int:
        return self._ledger.forget(operation_ids, before)

    def close(self) -> None:
        self._ledger.close()
