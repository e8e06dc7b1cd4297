"""What a ledger knows that bears on one message list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from counterfoil.evidence import Evidence
from counterfoil.facts import Fact, Intent
from counterfoil.ledger import Ledger

MAX_SCANNED = 10_000
"""So many operations of a ledger are looked through for those of the conversation, the first by id."""

_PAGE = 1_000

Known = Mapping[str, Evidence]
Facts = Ledger | Mapping[str, Iterable[Fact]]


def known_of(facts: Facts | None, conversations: frozenset[str], names: frozenset[str]) -> tuple[Known, bool]:
    """The facts of the operations that are named, and of those that took place in one of these conversations; and
    whether the whole ledger was looked through for the latter.

    A mapping is taken as it is. May raise `LedgerFault`.
    """
    if facts is None:
        return {}, True
    if isinstance(facts, Mapping):
        return {name: Evidence(known) for name, known in facts.items()}, True
    found: dict[str, Evidence] = dict(facts.facts(names).operations) if names else {}
    after, scanned = "", 0
    while page := facts.operations(after=after, limit=_PAGE):
        if scanned >= MAX_SCANNED:
            return found, False
        known = facts.facts(page).operations
        found |= {name: of for name, of in known.items() if _took_place_in(conversations, of)}
        after, scanned = page[-1], scanned + len(page)
    return found, True


def _took_place_in(conversations: frozenset[str], facts: Evidence) -> bool:
    return any(isinstance(fact, Intent) and fact.conversation_id in conversations for fact in facts)
