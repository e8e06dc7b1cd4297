"""Which operations share something: who must be judged together, and whose verdict may change with another's facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from counterfoil.book.entry import Entry
from counterfoil.ledger.links import INTENT, REFERENCE, Link


@dataclass(slots=True)
class Shelf:
    """Operations by what they may share: an idempotency key, a reference, a business intent."""

    _by_link: dict[Link, set[str]] = field(default_factory=dict)

    def put(self, operation_id: str, links: Iterable[Link]) -> None:
        for link in links:
            self._by_link.setdefault(link, set()).add(operation_id)

    def take(self, entry: Entry) -> set[str]:
        """Take an operation out. Those that it shared something with are left without it."""
        left: set[str] = set()
        for link in entry.links:
            sharers = self._by_link.get(link, set())
            sharers.discard(entry.operation_id)
            left |= sharers
            if not sharers:
                self._by_link.pop(link, None)
        return left

    def is_alone(self, entry: Entry) -> bool:
        return all(len(self._by_link.get(link, ())) <= 1 for link in entry.links)

    def around(self, operation_ids: Iterable[str], entries: Mapping[str, Entry]) -> set[str]:
        """All that a verdict on these depends on: who shares something with them; and, because an intent's effects are
        counted without those that belong elsewhere, whoever shows a reference of another member of an intent."""
        asked = set(operation_ids)
        near = self._sharers(asked, entries)
        members = self._sharers(asked, entries, INTENT)
        return asked | near | self._sharers(members, entries, REFERENCE)

    def affected(self, operation_ids: Iterable[str], entries: Mapping[str, Entry]) -> set[str]:
        """Those whose verdict may change because of these: the same relation, looked at from the other side."""
        asked = set(operation_ids)
        near = self._sharers(asked, entries)
        showing = self._sharers(asked, entries, REFERENCE)
        return (near | self._sharers(showing, entries, INTENT)) - asked

    def _sharers(self, operation_ids: Iterable[str], entries: Mapping[str, Entry], kind: bytes = b"") -> set[str]:
        links = {link for one in operation_ids for link in entries[one].links if link.startswith(kind)}
        return {one for link in links for one in self._by_link.get(link, ())}
