"""RFC 3339 times as nanoseconds since 1970-01-01T00:00:00Z."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache

from counterfoil.records import FIRST, LAST

_SECOND_AND_OFFSET = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LEAP_SECOND = 60
_NOT_A_TIME = "not an RFC 3339 time with an offset"


def nanoseconds(text: str) -> int:
    """Any offset and any number of digits, of which nine count. A leap second is the second after :59.

    ValueError for everything that isn't RFC 3339: without an offset nobody knows when it was.
    """
    second, point, rest = text.partition(".")
    if not point:
        return _whole(text)
    end = -1 if rest[-1:] in ("Z", "z") else -6
    digits = rest[:end]
    if not (digits.isdecimal() and digits.isascii()):
        raise ValueError(_NOT_A_TIME)
    return _whole(second + rest[end:]) + int(digits[:9].ljust(9, "0"))


@lru_cache(maxsize=4_096)
def _whole(text: str) -> int:
    """A time without a fraction. Telemetry comes in bursts, so that most of its seconds are known already."""
    if _SECOND_AND_OFFSET.fullmatch(text) is None:
        raise ValueError(_NOT_A_TIME)
    if int(text[17:19]) > _LEAP_SECOND:
        raise ValueError("a minute has at most 61 seconds")
    offset = "Z" if text[19:] in "Zz" else text[19:]
    at = datetime.fromisoformat(f"{text[:10]}T{text[11:17]}00{offset}") - _EPOCH
    nanoseconds = (at.days * 86_400 + at.seconds + int(text[17:19])) * 1_000_000_000
    if not FIRST <= nanoseconds <= LAST:  # it could not be written down again
        raise ValueError("a time outside of the years 1 to 9999 in UTC")
    return nanoseconds
