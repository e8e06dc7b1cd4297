"""A ledger in which a verdict counts as told only when somebody has heard it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

from counterfoil.ledger import Claim, Ledger, Told
from counterfoil.ledger.onward import Onward


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


class Heard(Onward):
    """The same `Ledger`. ``send`` brings out what was told under a claim, and raises where it didn't arrive: then the
    claim ends by that, which gives everything back."""

    def __init__(self, ledger: Ledger, send: Callable[[], None]) -> None:
        super().__init__(ledger)
        self._send = send

    @contextmanager
    def _claimed(self, now: int, limit: int) -> Iterator[Claim]:
        with super().claim(now, limit) as claim:
            yield _HeardClaim(claim, self._send)

    def claim(self, now: int, limit: int) -> AbstractContextManager[Claim]:
        return self._claimed(now, limit)
