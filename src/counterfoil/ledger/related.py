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
    known = dict(ledger.facts(operation_ids).operations)
    links = {name: _links(known.get(name, NONE)) for name in operation_ids}
    sharers: dict[Link, Sequence[str]] = dict(ledger.sharing(frozenset().union(*links.values())))
    known |= _facts(ledger, _all(sharers) - known.keys())

    members = _sharing(sharers, frozenset().union(*links.values()), INTENT)
    theirs = _links_among(known, members, REFERENCE) - sharers.keys()
    showing = _sharing(sharers, frozenset().union(*(links.get(name, NO_LINKS) for name in news)), REFERENCE)
    further = _links_among(known, showing, INTENT) - sharers.keys()
    beyond = ledger.sharing(theirs | further) if theirs or further else {}
    known |= _facts(ledger, _all({link: beyond.get(link, ()) for link in theirs}) - known.keys())

    changed = frozenset().union(*(links.get(name, NO_LINKS) for name in news))
    affected = _all({link: sharers.get(link, ()) for link in changed}) | _all(
        {link: beyond.get(link, ()) for link in further}
    )
    full = {link for link, names in (*sharers.items(), *beyond.items()) if len(names) >= MAX_SHARING}
    return Neighbourhood(
        folded=Folded(known, ledger.gaps()),
        affected=affected - frozenset(operation_ids),
        crowded=frozenset(name for name in operation_ids if links[name] & full) if full else frozenset(),
    )


NO_LINKS: frozenset[Link] = frozenset()


def _links(facts: Evidence) -> frozenset[Link]:
    return frozenset(link for fact in facts for link in links_of(fact))


def _links_among(known: Mapping[str, Evidence], names: Iterable[str], kind: bytes) -> frozenset[Link]:
    return frozenset(link for name in names for link in _links(known.get(name, NONE)) if link.startswith(kind))


def _sharing(sharers: Mapping[Link, Sequence[str]], links: Iterable[Link], kind: bytes) -> frozenset[str]:
    return frozenset(name for link in links if link.startswith(kind) for name in sharers.get(link, ()))


def _all(sharers: Mapping[Link, Sequence[str]]) -> frozenset[str]:
    return frozenset(name for names in sharers.values() for name in names)


def _facts(ledger: Ledger, names: frozenset[str]) -> Mapping[str, Evidence]:
    return ledger.facts(names).operations if names else {}
