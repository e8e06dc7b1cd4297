"""What a call asked for, out of the arguments on its span: a hash, and the names that an operator says stand there.

The arguments are looked at once and let go. What is missing, cut off, blanked or without a canonical form has no hash:
two requests that can't be told apart must not look alike.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from counterfoil.config import Lookup, Place, ToolConfig
from counterfoil.reading.hashing import fingerprint, payload_hash
from counterfoil.reading.values import text

MAX_CONTENT = 262_144
"""So many characters or values of a call's arguments, or of its result, are looked at; a larger one is not."""

MAX_NAMES = 16
"""So many names are taken from one place."""

ABSENT, TRUNCATED = "absent", "truncated"
_BLANKED = "[Scrubbed due to "
_NOTHING = object()

Documents = Mapping[Place, object]


@dataclass(frozen=True, slots=True)
class Request:
    """What is kept of a call's arguments. ``state`` says why there is no hash. The key is fingerprinted."""

    payload_hash: str | None = None
    state: str | None = ABSENT
    operation_id: str | None = None
    idempotency_key: str | None = None
    intent_ref: str | None = None
    effect_refs: tuple[str, ...] = ()


def request_of(arguments: object, tool: ToolConfig, secret: bytes | None) -> Request:
    """Read a call's arguments: a text of JSON or an object, None where they were not recorded."""
    if arguments is None:
        return Request()
    document = document_of(arguments)
    if document is _NOTHING:
        return Request(state=TRUNCATED)
    stable = document
    for field in tool.volatile:
        stable = field.without(stable)
    hashed = payload_hash(stable, secret)
    documents = {Place.ARGUMENTS: document}
    key = first_name(tool.idempotency_key, documents)
    return Request(
        payload_hash=hashed,
        state=None if hashed is not None else ABSENT,
        operation_id=first_name(tool.operation_id, documents),
        idempotency_key=None if key is None else fingerprint(key, secret),
        intent_ref=first_name(tool.intent_ref, documents),
        effect_refs=names_at(tool.effect_ref, documents),
    )


def document_of(content: object) -> object:
    """The value of a text of JSON, or the value itself; a value that equals nothing else if it can't be looked at."""
    if isinstance(content, str):
        if len(content) > MAX_CONTENT or _BLANKED in content:
            return _NOTHING
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            return _NOTHING
    return content if _fits(content) else _NOTHING


def names_at(lookup: Lookup | None, documents: Documents) -> tuple[str, ...]:
    """The names that stand where an operator says; none where nothing that could be a name does."""
    if lookup is None or lookup.place not in documents:
        return ()
    document = documents[lookup.place]
    if lookup.place is Place.HEADER:
        value = document.get(lookup.text) if isinstance(document, Mapping) else None
    else:
        value = next((found for part in _parts(document) if (found := lookup.find(part)) is not None), None)
    several = value if isinstance(value, list | tuple) else (value,)
    return tuple(name for one in several[:MAX_NAMES] if (name := _name(one)) is not None)


def first_name(lookup: Lookup | None, documents: Documents) -> str | None:
    return next(iter(names_at(lookup, documents)), None)


def _parts(document: object) -> tuple[object, ...]:
    """A document, and first what it wraps: Pydantic AI records a tool's ``ToolReturn`` whole."""
    if isinstance(document, Mapping) and document.get("kind") == "tool-return" and "return_value" in document:
        return document["return_value"], document
    return (document,)


def _name(value: object) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value) if abs(value) < 2**63 else None
    try:
        return text(value)
    except ValueError:
        return None


def _fits(value: object) -> bool:
    """Small enough to be looked at. Depth is bounded by the count, and recursion is guarded where it happens."""
    room, waiting = MAX_CONTENT, [value]
    while waiting and room > 0:
        one = waiting.pop()
        room -= len(one) if isinstance(one, str | bytes) else 1
        if isinstance(one, Mapping):
            room -= sum(len(name) for name in one if isinstance(name, str))
            waiting.extend(one.values())
        elif isinstance(one, list | tuple):
            waiting.extend(one)
    return room > 0
