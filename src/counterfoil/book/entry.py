"""One operation in the book."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from counterfoil.book.telling import Said
from counterfoil.evidence import Evidence
from counterfoil.facts import Fact, Transport
from counterfoil.ledger.links import Link, links_of
from counterfoil.operations import Operation, operation_from
from counterfoil.verdicts import Verdict

MAX_FACTS = 1_000
"""So many facts are kept of one operation; one of which more were seen is never acquitted."""


@dataclass(slots=True)
class Entry:
    """What is known of one operation, and what was told of it. Times are the book's clock, in nanoseconds.

    ``incomplete``: facts of it were forgotten or found no room. ``bereft``: an operation that it shares something with
    was forgotten. ``incident``: what was told of it last, where a person must act on that.
    """

    operation_id: str
    first_at: int
    last_at: int
    facts: set[Fact] = field(default_factory=set)
    links: set[Link] = field(default_factory=set)
    due_at: int | None = None
    news: bool = False
    told: Said | None = None
    incident: Verdict | None = None
    revision: int = 0
    attempts_told: int = 0
    incomplete: bool = False
    bereft: bool = False
    _operation: Operation | None = None

    @property
    def operation(self) -> Operation:
        if self._operation is None:
            self._operation = operation_from(self.operation_id, Evidence(self.facts))
        return self._operation

    def learn(self, facts: Iterable[Fact], now: int) -> set[Link] | None:
        """Take facts in. The links that are new with them; None where nothing was."""
        new = [fact for fact in facts if fact not in self.facts]
        if not new:
            return None
        room = MAX_FACTS - len(self.facts)
        self.incomplete = self.incomplete or len(new) > room
        self.facts.update(new[: max(room, 0)])
        self._operation, self.news, self.last_at = None, True, now
        links = {link for fact in new[: max(room, 0)] for link in links_of(fact)} - self.links
        self.links |= links
        return links

    @property
    def is_partial(self) -> bool:
        """Something that its verdict depends on is no longer known."""
        return self.incomplete or self.bereft

    @property
    def is_running(self) -> bool:
        """It was meant or begun, and nothing is known yet of how that ended."""
        operation = self.operation
        if operation.looks or operation.claims:
            return False
        if not operation.dispatches:
            return bool(operation.intents)
        last = operation.dispatches[-1]
        open_end = last.transport is Transport.STARTED and last.ended_at == last.at and last.executed
        return open_end and not any(view.started_only for view in last.views)
