"""An operation and those that it shares something with: all that a judge must know of it.

How far that goes is read off the core: a verdict asks for operations with the same key, the same reference or the same
business intent, and, because an intent's effects are counted without those that belong elsewhere, for whoever shows a
reference of another member of that intent. `tests/ledger` has the law that judging from here and judging from all that
is known come to the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from counterfoil.evidence import NONE, Evidence, Folded
from counterfoil.ledger.links import INTENT, REFERENCE, Link, links_of
from counterfoil.ledger.protocol import MAX_SHARING, Ledger


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """``affected``: other operations whose verdict may change because of those with news. ``crowded``: operations that
    share something with more than `MAX_SHARING` others, of which not all were read."""

    folded: Folded
    affected: frozenset[str]
    crowded: frozenset[str]


def neighbourhood(ledger: Ledger, operation_ids: Collection[str], news: Collection[str] = ()) -> Neighbourhood:
    """The facts of these operations and of all that a verdict on them depends on, and all gaps."""
    known = _Known(ledger)
    known.read(operation_ids)
    asked = known.links(operation_ids)
    changed = known.links(news)
    sharers = ledger.sharing(asked)
    known.read(_names(sharers, asked))

    theirs = known.links(_names(sharers, asked, INTENT), REFERENCE) - asked
    further = known.links(_names(sharers, changed, REFERENCE), INTENT)
    more = (theirs | further) - asked
    beyond = ledger.sharing(more) if more else {}
    known.read(_names(beyond, theirs))

    full = {link for link, names in (*sharers.items(), *beyond.items()) if len(names) >= MAX_SHARING}
    return Neighbourhood(
        folded=Folded(known.facts, ledger.gaps()),
        affected=_names({**sharers, **beyond}, changed | further) - frozenset(operation_ids),
        crowded=frozenset(name for name in operation_ids if known.links([name]) & full) if full else frozenset(),
    )


class _Known:
    """What has been read so far, and by what it is linked."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._links: dict[str, frozenset[Link]] = {}
        self.facts: dict[str, Evidence] = {}

    def read(self, names: Collection[str]) -> None:
        if missing := [name for name in names if name not in self._links]:
            read = self._ledger.facts(missing).operations
            self.facts |= read
            for name in missing:
                self._links[name] = frozenset(link for fact in read.get(name, NONE) for link in links_of(fact))

    def links(self, names: Iterable[str], kind: bytes = b"") -> frozenset[Link]:
        """All links of these operations, of one kind or of all."""
        return frozenset(link for name in names for link in self._links.get(name, ()) if link.startswith(kind))


def _names(sharers: Mapping[Link, Sequence[str]], links: Iterable[Link], kind: bytes = b"") -> frozenset[str]:
    """Who has one of these links, of one kind or of all."""
    return frozenset(name for link in links if link.startswith(kind) for name in sharers.get(link, ()))
