"""A fact as a plain tuple of what was said: half the memory of the fact, for those who must keep a million of them.

Nothing is lost: ``unpack(name, pack(fact)) == fact`` for every fact of the operation ``name``. Equal tuples are equal
facts; equal facts may have two tuples, where one says by name what the other leaves to its default.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import lru_cache
from itertools import repeat
from operator import itemgetter
from typing import cast

from counterfoil.facts import Fact, Gap
from counterfoil.records import KINDS

Packed = tuple[object, ...]
"""A `Form`, then the values of its names in its order. The operation's id is kept beside it, once for all its facts."""

_OPERATION = "operation_id"


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """Which fields of which kind of fact were said."""

    kind: type[Fact] | type[Gap]
    names: tuple[str, ...]
    completed: Callable[[tuple[object, ...]], tuple[object, ...]]
    """Every field of the fact, out of: a packed fact, the operation's id, and the fields' defaults."""

    def places(self, *names: str) -> tuple[int, ...]:
        """Where in a packed fact of this form these fields stand; those that weren't said are left out."""
        return tuple(place for place, name in enumerate(self.names, 1) if name in names)


@lru_cache(maxsize=4_096)
def form(kind: type[Fact] | type[Gap], names: tuple[str, ...]) -> Form:
    """The form for these names: the same object each time, which makes comparing quick. Remembers 4,096."""
    places = {name: place for place, name in enumerate((*names, _OPERATION), 1)}
    defaults = {name: place for place, name in enumerate(_DEFAULTS[kind], len(names) + 2)}
    return Form(kind, names, itemgetter(*(places.get(name, defaults[name]) for name in _DEFAULTS[kind])))


def pack(fact: Fact | Gap) -> Packed:
    kind = type(fact)
    said = [
        (name, value)
        for name, default in _DEFAULTS[kind].items()
        if name != _OPERATION and (value := getattr(fact, name)) is not default
    ]
    names = tuple([name for name, _ in said])
    return form(kind, names), *[value for _, value in said]  # type: ignore[arg-type]  # a type is hashable


def unpack(operation_id: str | None, packed: Packed) -> Fact | Gap:
    """The fact again; a gap belongs to no operation and has no ``operation_id``.

    A frozen class sets its fields in the slowest way that there is, and a million facts wait for this. So a fact is
    filled as one of an open twin class, and frozen when it is whole.
    """
    shape = cast(Form, packed[0])
    kind, defaults = shape.kind, _DEFAULTS[shape.kind]
    fact = object.__new__(_OPEN[kind])
    deque(map(setattr, repeat(fact), defaults, shape.completed((*packed, operation_id, *defaults.values()))), maxlen=0)
    fact.__class__ = kind
    return fact


_DEFAULTS = {
    kind: {field.name: None if field.default is MISSING else field.default for field in fields(kind)}
    for kind in KINDS.values()
}
_OPEN: Mapping[type[Fact] | type[Gap], type[Fact] | type[Gap]] = {
    kind: type(
        kind.__name__,
        (kind,),
        {"__slots__": (), "__setattr__": object.__setattr__, "__delattr__": object.__delattr__},
    )
    for kind in KINDS.values()
}
"""The same classes, but their fields can be set."""
