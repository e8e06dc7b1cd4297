"""A fact as a plain tuple of what was said: half the memory of the fact, for those who must keep a million of them.

Nothing is lost: ``unpack(name, pack(fact)) == fact`` for every fact of the operation ``name``. Equal tuples are equal
facts; equal facts may have two tuples, where one says by name what the other leaves to its default.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from functools import lru_cache
from typing import cast

from counterfoil.facts import Fact, Gap
from counterfoil.records import KINDS

Packed = tuple[object, ...]
"""A `Form`, then the values of its names in its order. The operation's id is kept beside it, once for all its facts."""

_OPERATION = "operation_id"


@dataclass(frozen=True, slots=True)
class Form:
    """Which fields of which kind of fact were said."""

    kind: type[Fact] | type[Gap]
    names: tuple[str, ...]

    def places(self, *names: str) -> tuple[int, ...]:
        """Where in a packed fact of this form these fields stand; those that weren't said are left out."""
        return tuple(place for place, name in enumerate(self.names, 1) if name in names)


@lru_cache(maxsize=4_096)
def form(kind: type[Fact] | type[Gap], names: tuple[str, ...]) -> Form:
    """The form for these names: the same object each time, which makes comparing quick. Remembers 4,096."""
    return Form(kind, names)


def pack(fact: Fact | Gap) -> Packed:
    kind = type(fact)
    said = [(name, value) for name, default in _FIELDS[kind] if (value := getattr(fact, name)) is not default]
    names = tuple([name for name, _ in said])
    return form(kind, names), *[value for _, value in said]  # type: ignore[arg-type]  # a type is hashable


def unpack(operation_id: str | None, packed: Packed) -> Fact | Gap:
    """The fact again; a gap belongs to no operation and has no ``operation_id``."""
    values = iter(packed)
    shape = cast(Form, next(values))
    said = dict(zip(shape.names, values, strict=True))
    if operation_id is not None:
        said[_OPERATION] = operation_id
    return shape.kind(**said)  # type: ignore[arg-type]


_FIELDS = {
    kind: tuple(
        (field.name, None if field.default is MISSING else field.default)
        for field in fields(kind)
        if field.name != _OPERATION
    )
    for kind in KINDS.values()
}
