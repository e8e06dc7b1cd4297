"""Where an operator says that a name stands: in a call's arguments, in its result, or in a header of its request.

Expressions are JMESPath, parsed once. What they find in a hostile document is at worst nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError

Step = str | int | None
"""A field's name, an index, or None for every element."""


class Place(StrEnum):
    """Which part of a call an expression looks into."""

    ARGUMENTS = "arguments"
    RESULT = "result"
    HEADER = "header"


@dataclass(frozen=True, slots=True)
class Lookup:
    """One expression and the place that it looks into. For a header, ``text`` is its name in lower case."""

    place: Place
    text: str

    @classmethod
    def parse(cls, text: str, usually: Place) -> Lookup:
        """Read ``id``, ``arguments:id``, ``result:id`` or ``header:x-request-id``. ValueError says what is wrong."""
        prefix, colon, rest = text.partition(":")
        place = Place(prefix) if colon and prefix in tuple(Place) else usually
        expression = (rest if colon and prefix == place else text).strip()
        if not expression:
            raise ValueError("nothing to look up; write a JMESPath expression such as order.id")
        if place is Place.HEADER:
            return cls(place, expression.lower())
        _compiled(expression)
        return cls(place, expression)

    def find(self, document: object) -> object:
        """What stands there in the document; None for nothing, and for an expression that doesn't fit it."""
        try:
            return jmespath.search(self.text, document)
        except (JMESPathError, ArithmeticError, TypeError, ValueError, RecursionError):
            return None


@dataclass(frozen=True, slots=True)
class Volatile:
    """A field that differs between repeats of one request, as the steps that lead to it."""

    text: str
    steps: tuple[Step, ...]

    @classmethod
    def parse(cls, text: str) -> Volatile:
        """Read a JMESPath path such as ``trace.id`` or ``items[*].seen_at``; no filters, no functions."""
        steps = tuple(_steps(_compiled(text).parsed))
        if not steps:
            raise ValueError("the whole request can't be volatile; name a field such as sent_at")
        return cls(text, steps)

    def without(self, document: object) -> object:
        """The document without that field, as a copy as far as it differs."""
        return _without(document, self.steps)


def expression(text: str) -> str:
    """The same text, if it is JMESPath. ValueError says what is wrong."""
    _compiled(text)
    return text


def _compiled(expression: str) -> Any:
    try:
        return jmespath.compile(expression)  # which remembers what it has parsed
    except JMESPathError as wrong:
        reason = str(wrong).splitlines()[0]
        raise ValueError(f"not a JMESPath expression ({reason}); write one such as order.id") from None


def _steps(node: Mapping[str, Any]) -> list[Step]:
    kind, children = node["type"], node["children"]
    if kind in ("field", "index"):
        return [node["value"]]
    if kind in ("projection", "value_projection"):
        return [*_steps(children[0]), None, *_steps(children[1])]
    if kind in ("identity", "subexpression", "index_expression", "flatten"):
        return [step for child in children for step in _steps(child)]
    raise ValueError("a volatile field is a path; write one such as sent_at or items[*].seen_at")


def _without(value: object, steps: tuple[Step, ...]) -> object:
    step, rest = steps[0], steps[1:]
    if isinstance(value, Mapping) and isinstance(step, str | None):
        touched = value.keys() if step is None else {step} & value.keys()
        if not rest:
            return {name: part for name, part in value.items() if name not in touched}
        return {name: _without(part, rest) if name in touched else part for name, part in value.items()}
    if isinstance(value, list | tuple) and isinstance(step, int | None):
        places = range(len(value))
        touched_places = (
            set(places) if step is None else {step % len(value)} if -len(value) <= step < len(value) else set()
        )
        if not rest:
            return [part for place, part in enumerate(value) if place not in touched_places]
        return [_without(part, rest) if place in touched_places else part for place, part in enumerate(value)]
    return value
