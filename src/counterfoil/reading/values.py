"""The values of evidence records, each by its type: what isn't one is a ValueError, in words without content.

An empty text is nothing said. Values that come again and again are remembered, so that a million facts share them
instead of holding a million, and are checked once. A value that can't be looked up is of the wrong type: TypeError.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from counterfoil.facts import Reported, Transport
from counterfoil.reading.hashing import fingerprint
from counterfoil.reading.times import nanoseconds

MAX_TEXT = 1_024
"""The longest name, reference, key or hash that is read, in characters; a longer one makes its record unusable."""

MAX_COUNT = 2**53
"""The largest count that every JSON reader keeps exact."""

REMEMBERED = 16_384
"""So many values of each sort are remembered while reading: the operations that are open at one time have fewer."""


def text(value: object) -> str | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise ValueError("not a text")
    if len(value) > MAX_TEXT:
        raise ValueError(f"longer than {MAX_TEXT} characters")
    if not value.isascii() and _LONE_SURROGATE.search(value):
        raise ValueError("a lone surrogate, which can't leave this process again")
    return value


@lru_cache(maxsize=REMEMBERED)
def word(value: object) -> str | None:
    """A text that many facts have in common."""
    return text(value)


@lru_cache(maxsize=REMEMBERED)
def payload_hash(value: object) -> str | None:
    """Digits of a hash are digits, whether in capitals or not: two ways to write one hash are no two payloads."""
    said = text(value)
    return said.lower() if said is not None and _HASH.fullmatch(said) else said


@lru_cache(maxsize=REMEMBERED)
def own_name(value: object) -> str | None:
    """A text that few facts have in common, such as an attempt's id. They would crowd out the words."""
    return text(value)


@lru_cache(maxsize=REMEMBERED)
def key(value: object) -> str | None:
    said = text(value)
    return None if said is None else fingerprint(said)


def flag(value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise ValueError("neither true nor false")


def count(value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise ValueError("not a whole number")
    if not 0 <= value <= MAX_COUNT:
        raise ValueError("a count out of range")
    return int(value)


def positive(value: object) -> int | None:
    counted = count(value)
    if counted == 0:
        raise ValueError("a count that must be at least 1")
    return counted


def seconds(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_COUNT:
        raise ValueError("not a number of seconds")
    if not math.isfinite(value):
        raise ValueError("not a number of seconds")
    return int(value) if value == value // 1 else float(value)


def time(value: object) -> int:
    if not isinstance(value, str):
        raise ValueError("a time that can't be read")
    return nanoseconds(value)


@lru_cache(maxsize=REMEMBERED)
def transport(value: object) -> Transport:
    """A word that we don't know says no more than that it was started."""
    said = text(value)
    return _TRANSPORTS.get(said, Transport.STARTED)


@lru_cache(maxsize=REMEMBERED)
def reported(value: object) -> Reported | None:
    said = text(value)
    return None if said is None else _REPORTED.get(said, Reported.ABSENT)


def idempotent_hint(value: object) -> bool | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise ValueError("hints must be an object")
    return flag(value.get("idempotentHint"))


def process(value: object) -> str | None:
    said = text(value)
    return None if said is None else said.removeprefix("process ")


def required(name: str, read: Callable[[object], object]) -> Callable[[object], object]:
    """The same reader for a field that has to be said; it remembers as well."""

    @lru_cache(maxsize=REMEMBERED)
    def said(value: object) -> object:
        read_value = read(value)
        if read_value is None:
            raise ValueError(f"{name} is missing")
        return read_value

    return said


_HASH = re.compile("(?:hmac-)?sha256:[0-9a-f]{64}", re.ASCII | re.IGNORECASE)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_TRANSPORTS: Mapping[str | None, Transport] = {member.value: member for member in Transport}
_REPORTED: Mapping[str | None, Reported] = {member.value: member for member in Reported}
