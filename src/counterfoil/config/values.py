"""The values of settings, each by its type. A ValueError says the way out, for a person who reads only that."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?\s*", re.ASCII)
_SECONDS: Mapping[str | None, float] = {None: 1, "ms": 0.001, "s": 1, "m": 60, "h": 3_600, "d": 86_400}
_LONGEST = 3_660 * 86_400
_TRUE, _FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off", "")
_LEDGERS = ("memory:", "sqlite:///", "postgresql://", "postgres://")
STAGES = ("accepted", "applied")
SIGNALS = ("spans", "metrics", "events", "facts")
MOST_OPERATIONS = 10_000_000
SHORTEST_KEY = 16


def boolean(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in _TRUE:
        return True
    if isinstance(value, str) and value.strip().lower() in _FALSE:
        return False
    raise ValueError("write true or false")


def seconds(value: object) -> float:
    """A duration in seconds: a number of them, or a number with ms, s, m, h or d."""
    found = math.nan
    if isinstance(value, int | float) and not isinstance(value, bool):
        found = float(value)
    elif isinstance(value, str) and (match := _DURATION.fullmatch(value)):
        found = float(match[1]) * _SECONDS[match[2]]
    if 0 <= found <= _LONGEST:
        return found
    raise ValueError("write a duration such as 500ms, 5s, 2m, 1h or 1d, or a number of seconds")


def text(value: object) -> str:
    if isinstance(value, str) and value.strip() and len(value) <= 1_024:
        return value.strip()
    raise ValueError("write a text of 1 to 1024 characters")


def advice(value: object) -> str:
    if value == "required":
        return "required"
    raise ValueError("write required, or take it out")


def stage(value: object) -> str:
    if value in STAGES:
        return str(value)
    raise ValueError("write accepted, for answers that promise the effect, or applied, for answers that tell of it")


def operations(value: object) -> int:
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_OPERATIONS:
        return value
    raise ValueError(f"write a whole number from 1 to {MOST_OPERATIONS}")


def effects(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_OPERATIONS:
        return value
    raise ValueError("write how many effects one call should have, at least 1")


def ledger(value: object) -> str:
    if isinstance(value, str) and value.strip().startswith(_LEDGERS):
        return value.strip()
    raise ValueError("write memory:, sqlite:///path or postgresql://user@host/database")


def shown(address: str) -> str:
    """A ledger's address without user, password and options: fit for messages and logs, however it was misspelt."""
    if address.startswith(("sqlite:", "memory:")):
        return address.partition("?")[0]
    if len(several := address.split()) > 1 and all("://" in one for one in several):
        return " ".join(map(shown, several))
    scheme, colon, rest = address.partition(":")
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0].removeprefix('//')}" if colon else scheme


def signals(value: object) -> frozenset[str]:
    """What is said, out of `SIGNALS`: a list, or words with commas between them; ``none`` for nothing."""
    words = value.split(",") if isinstance(value, str) else value
    if isinstance(words, list | tuple | set | frozenset) and all(isinstance(word, str) for word in words):
        named = {word.strip().lower() for word in words} - {""}
        if named == {"none"}:
            return frozenset()
        if named and named <= set(SIGNALS):
            return frozenset(named)
    raise ValueError(f"write one or more of {', '.join(SIGNALS)} with commas between them, or none")


def verdict_spans(value: object) -> str:
    if isinstance(value, str) and value.strip().lower() in ("all", "notable"):
        return value.strip().lower()
    raise ValueError("write all or notable")


def function(value: object) -> str:
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*", value.strip()):
        return value.strip()
    raise ValueError("write module:function, such as shop.probes:find_charge")


def secret(value: object) -> bytes:
    encoded = value.encode() if isinstance(value, str) else value
    if isinstance(encoded, bytes) and len(encoded.strip()) >= SHORTEST_KEY:
        return encoded.strip()
    raise ValueError(f"give it at least {SHORTEST_KEY} characters")
