"""A claim on several databases at once, each of which settles its own part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from counterfoil.ledger.links import INTENT, REFERENCE, Link, links_of
from counterfoil.ledger.protocol import Claim, Ledger
from counterfoil.ledger.told import Told


class Inner(Claim, Protocol):
    """A claim of one database, which can put off what it can't judge yet."""

    def postpone(self, operation_ids: Iterable[str], at: int) -> None: ...


class ClaimedOfSeveral:
    """Passes on what is asked to the database of each operation."""

    def __init__(self, parts: Mapping[int, Inner], shard_of: Callable[[str], int]) -> None:
        self._parts = dict(parts)
        self._shard_of = shard_of
        self._operations: dict[str, bool] = {}

    @property
    def operations(self) -> Mapping[str, bool]:
        return self._operations

    def take(self, number: int, claim: Inner) -> None:
        self._parts[number] = claim
        self._operations.update(claim.operations)

    def postpone(self, operation_ids: Iterable[str], at: int) -> None:
        for name in operation_ids:
            self._parts[self._shard_of(name)].postpone([name], at)
            del self._operations[name]

    def announce(self, tellings: Iterable[Told]) -> frozenset[str]:
        parts: dict[int, list[Told]] = {}
        for told in tellings:
            parts.setdefault(self._shard_of(told.operation_id), []).append(told)
        return frozenset(name for number, some in parts.items() for name in self._parts[number].announce(some))

    def delivered(self, tellings: Iterable[Told]) -> None:
        for told in tellings:
            self._parts[self._shard_of(told.operation_id)].delivered([told])

    def wake(self, operation_ids: Iterable[str], at: int) -> None:
        """An operation of a database that is away can't be woken; whoever would is not judged before it can."""
        for name in operation_ids:
            if (part := self._parts.get(self._shard_of(name))) is not None:
                part.wake([name], at)


def blocked(ledger: Ledger, names: Iterable[str], is_away: Callable[[str], bool]) -> list[str]:
    """Which of these, none of them away, can't be judged now: a judge would have to know of one that is.

    As far as a judge looks (`ledger.related`): who shares something, and who shares a reference or an intent with them.
    """
    waiting = []
    for name in names:
        near = _sharing(ledger, _links(ledger, [name]))
        here = [other for other in near if not is_away(other)]
        far = _sharing(ledger, {link for link in _links(ledger, here) if link.startswith((REFERENCE, INTENT))})
        if any(map(is_away, near | far)):
            waiting.append(name)
    return waiting


def _links(ledger: Ledger, names: Iterable[str]) -> set[Link]:
    return {
        link for facts in ledger.facts(list(names)).operations.values() for fact in facts for link in links_of(fact)
    }


def _sharing(ledger: Ledger, links: set[Link]) -> set[str]:
    return {name for names in ledger.sharing(list(links)).values() for name in names} if links else set()
