"""Which operations must be judged together, because one may say something about the other.

They share an idempotency key, a reference or a business intent. Sharing is looked for generously, without regard to
scope or to what was sent: what is judged together without need gets the same answer as alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from counterfoil.packed import Form, Packed

Places = dict[Form, tuple[int, ...]]

_SHARED = ("idempotency_key", "effect_ref", "about_ref", "compensates", "intent_ref")


def neighbourhoods(operations: Mapping[str, Iterable[Packed]]) -> dict[str, tuple[str, ...]]:
    """For every operation that shares something, all those of its neighbourhood. One without neighbours is left out.

    Linear in the number of facts, however much they share.
    """
    first_with: dict[str, str] = {}
    places: Places = {}
    return grouped(
        (other, name)
        for name, facts in operations.items()
        for packed in facts
        for value in shareable(packed, places)
        if (other := first_with.setdefault(value, name)) is not name
    )


def shareable(packed: Packed, places: Places) -> list[str]:
    """What one fact says that another operation might say too. ``places`` remembers where it stands in a form."""
    form = cast(Form, packed[0])
    shared = places.get(form)
    if shared is None:
        shared = places[form] = form.places(*_SHARED)
    return [value for place in shared if isinstance(value := packed[place], str)]


def grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """For every operation in these pairs, all with which it is connected, sorted."""
    parents: dict[str, str] = {}
    for one, other in pairs:
        _join(parents, one, other)
    members: dict[str, list[str]] = {}
    for name in parents:
        members.setdefault(_root(parents, name), []).append(name)
    together = {root: tuple(sorted(names)) for root, names in members.items()}
    return {name: together[_root(parents, name)] for name in parents}


def homes(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """For every operation in these pairs, the first of those with which it is connected."""
    return {name: together[0] for name, together in grouped(pairs).items()}


def _join(parents: dict[str, str], one: str, other: str) -> None:
    parents[_root(parents, one)] = _root(parents, other)


def _root(parents: dict[str, str], name: str) -> str:
    """Who stands for the neighbourhood of a name. Shortens the way for the next who asks."""
    parent = parents.setdefault(name, name)
    while parent != name:
        parents[name] = parents[parent]
        name, parent = parent, parents[parent]
    return name
