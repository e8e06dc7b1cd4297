"""RFC 3339 times as nanoseconds since 1970-01-01T00:00:00Z."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache

_RFC3339 = re.compile(r"(\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LEAP_SECOND = 60


def nanoseconds(text: str) -> int:
    """Any offset and any number of digits, of which nine count. A leap second is the second after :59.

    ValueError for everything that isn't RFC 3339: without an offset nobody knows when it was.
    """
    match = _RFC3339.fullmatch(text)
    if match is None:
        raise ValueError("not an RFC 3339 time with an offset")
    second, fraction, offset = match.groups()
    whole = _whole(second, offset)
    return whole if fraction is None else whole + int(fraction[:9].ljust(9, "0"))


@lru_cache(maxsize=4_096)
def _whole(second: str, offset: str) -> int:
    """A second without its fraction. Telemetry comes in bursts, so that most of its seconds are known already."""
    if int(second[17:]) > _LEAP_SECOND:
        raise ValueError("a minute has at most 61 seconds")
    at = datetime.fromisoformat(f"{second[:10]}T{second[11:17]}00{'Z' if offset in 'zZ' else offset}") - _EPOCH
    return (at.days * 86_400 + at.seconds + int(second[17:])) * 1_000_000_000
