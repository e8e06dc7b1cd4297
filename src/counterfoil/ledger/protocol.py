"""What every ledger can do, and in what bounds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from counterfoil.evidence import Folded
from counterfoil.facts import Fact, Gap
from counterfoil.ledger.links import Link
from counterfoil.ledger.told import Told

BATCH = 512
"""Facts in one transaction at most; more are written in several, so that nobody holds the others up for long."""

MAX_SHARING = 10_000
"""Operations that one link leads to at most; of more, the first by id are seen."""


class Claim(Protocol):
    """Operations that are due, and nobody else's until the claim ends.

    Leaving it in order settles what was asked of it; leaving it by an exception, or dying, gives everything back.
    """

    @property
    def operations(self) -> Mapping[str, bool]:
        """Each operation's id, and whether it has news: facts that came since it was last claimed. Without news it is
        here because a time has come, or because an operation that it shares something with has learned something."""

    def announce(self, tellings: Iterable[Told]) -> frozenset[str]:
        """Take down what is about to be told, at once and for good, where it is a larger revision than is known.
        Answers with the operations whose telling was taken down: only those may be told."""

    def delivered(self, tellings: Iterable[Told]) -> None:
        """These were told. Holds when the claim ends."""

    def wake(self, operation_ids: Iterable[str], at: int) -> None:
        """Have these operations judged (again) at a time. Holds when the claim ends."""


class Ledger(Protocol):
    """Where facts outlive a process. Every method may raise `LedgerFault`; `guarded` is for those who must not be hurt.

    Times are nanoseconds since 1970 by the caller's clock: a clock that is wrong delays or hastens a judgement and
    changes none.
    """

    def add(self, facts: Iterable[Fact | Gap], *, due: int) -> int:
        """Keep these facts; when this returns they are kept. Answers how many were new.

        An operation that learned something is due at ``due`` at the latest; a new gap makes every operation due whose
        verdict it may change. At most `BATCH` facts go in one transaction; of more, the earlier may be kept alone.
        """

    def facts(self, operation_ids: Collection[str]) -> Folded:
        """All facts of these operations; those without any are left out. Gaps have a question of their own."""

    def gaps(self) -> frozenset[Gap]:
        """All gaps that are known. They are never forgotten."""

    def sharing(self, links: Collection[Link]) -> Mapping[Link, Sequence[str]]:
        """The ids of the operations that have a link, sorted, at most `MAX_SHARING` for each."""

    def claim(self, now: int, limit: int) -> AbstractContextManager[Claim]:
        """At most ``limit`` operations that are due by now, the longest overdue first. Of those that are due at one
        time any may come first: to sort them would cost more with each that waits. None where others have them."""

    def hold(self, operation_id: str) -> bool:
        """Whether this caller alone has the operation now for something that takes long, until `release`, or until its
        process ends. Nobody is kept from adding to it, judging it or telling of it. On SQLite one process at a time
        holds anything."""

    def release(self, operation_id: str) -> None:
        """It is over. Never raises."""

    def told(self, operation_ids: Collection[str]) -> Mapping[str, Told]:
        """The newest revision of each of these operations of which anything was told."""

    def operations(self, *, after: str = "", limit: int = 1_000, open_only: bool = False) -> Sequence[str]:
        """The ids of operations in order, from beyond ``after``. Open: nothing was told yet, or somebody waits."""

    def settled(self, before: int, *, after: str = "", limit: int = 1_000) -> Sequence[str]:
        """The ids of operations, in order, for which nobody waits, that are not due at any time, and of which the last
        thing was told before ``before``."""

    def forget(self, operation_ids: Collection[str], before: int) -> int:
        """Drop all that is known of those of these operations that are settled still. Answers how many were."""

    def close(self) -> None:
        """Let go of files and connections. A closed ledger opens again when it is used."""
