"""Forgetting what is settled and old, and nothing that anybody still waits for.

Operations that share something are forgotten together or not at all: a verdict that is still open may rest on one that
is closed. Gaps stay, for they say what can't be known of whatever is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from counterfoil.evidence import NONE
from counterfoil.ledger.links import links_of
from counterfoil.ledger.protocol import Ledger

MAX_TOGETHER = 10_000
"""Operations that are related to each other, past which all of them are kept."""


@dataclass(slots=True)
class Pruned:
    """What became of a ledger's settled operations, and of which the last thing was told before a time.

    ``related``: kept, for they share something with an operation that is open, newer, or due to be judged again.
    ``crowded``: kept, for they are related to more than `MAX_TOGETHER`.
    """

    forgotten: int = 0
    related: int = 0
    crowded: int = 0


def prune(ledger: Ledger, before: int, *, at_once: int = 200, dry_run: bool = False) -> Pruned:
    """Forget operations of which the last thing was told before ``before`` (nanoseconds since 1970).

    Reads every settled operation once. What arrives meanwhile for an operation keeps it. ``dry_run``: only count.
    """
    pruned = Pruned()
    for names in _settled(ledger, before, at_once):
        done: set[str] = set()
        for name in names:
            if name in done:
                continue
            together = _related(ledger, name)
            done |= together
            own = [one for one in names if one in together]
            if len(together) > MAX_TOGETHER:
                pruned.crowded += len(own)
            elif not _all_settled(ledger, together, before):
                pruned.related += len(own)
            elif dry_run:
                pruned.forgotten += len(own)
            else:
                pruned.forgotten += ledger.forget(sorted(together), before)
    return pruned


def _settled(ledger: Ledger, before: int, at_once: int) -> Iterator[Sequence[str]]:
    after = ""
    while names := ledger.settled(before, after=after, limit=at_once):
        yield names
        after = names[-1]


def _related(ledger: Ledger, name: str) -> set[str]:
    """The operation, those that it shares something with, those that they do, and so on."""
    found: set[str] = {name}
    newest = {name}
    while newest and len(found) <= MAX_TOGETHER:
        known = ledger.facts(newest).operations
        links = {link for one in newest for fact in known.get(one, NONE) for link in links_of(fact)}
        newest = {one for sharers in ledger.sharing(links).values() for one in sharers} - found
        found |= newest
    return found


def _all_settled(ledger: Ledger, names: set[str], before: int) -> bool:
    told = ledger.told(names)
    return all(
        (last := told.get(name)) is not None and last.delivered and not last.said.open and last.at < before
        for name in names
    )
