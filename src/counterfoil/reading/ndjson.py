"""One line of JSON into one record, strictly: what the standards leave open is refused rather than guessed.

NaN, Infinity, lone surrogates, bytes that are no UTF-8 and deep nesting make a line unusable. Of a name that is given
twice the last value counts.
"""

from __future__ import annotations

import json
from typing import cast

import orjson

from counterfoil.reading.evidence import Record, Unusable, operation_id_of

MAX_SALVAGED = 64 * 1024
"""The longest unusable line, in bytes, that is looked through for the operation that it was about."""


def record_of_line(line: bytes) -> Record:
    """The object that a line holds. Raises `Unusable`, with the operation's id where a lenient reader can find it."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        raise Unusable("no JSON", _salvaged(line)) from None
    if not isinstance(record, dict):
        raise Unusable("no JSON object")
    return cast(Record, record)


def _salvaged(line: bytes) -> str | None:
    """Which operation the line was about, though its JSON isn't sound (NaN, a number too large, a lone surrogate)."""
    if len(line) > MAX_SALVAGED:
        return None
    try:
        record = json.loads(line.decode())
    except (ValueError, RecursionError):
        return None
    return operation_id_of(record) if isinstance(record, dict) else None
