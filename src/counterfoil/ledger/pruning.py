"""Forgetting what is settled and old, and nothing that anybody still waits for.

Operations that share something are forgotten together or not at all: a verdict that is still open may rest on one that
is closed. Gaps stay, for they say what can't be known of whatever is left.
"""

from __future__ import annotations

from counterfoil.evidence import NONE
from counterfoil.ledger.links import links_of
from counterfoil.ledger.protocol import Ledger

MAX_TOGETHER = 10_000
"""Operations that are related to each other, past which all of them are kept."""


def prune(ledger: Ledger, before: int, *, at_once: int = 200) -> int:
    """Forget operations of which the last thing was told before ``before`` (nanoseconds since 1970). How many were.

    Reads every settled operation once. What arrives meanwhile for an operation keeps it.
    """
    forgotten = 0
    after = ""
    while names := ledger.settled(before, after=after, limit=at_once):
        after = names[-1]
        done: set[str] = set()
        for name in names:
            if name not in done:
                together = _related(ledger, name)
                done |= together
                if len(together) <= MAX_TOGETHER and _all_settled(ledger, together, before):
                    forgotten += ledger.forget(sorted(together), before)
    return forgotten


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
