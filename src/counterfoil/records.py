"""A fact as a record, and back: the fields of evidence, version 1, by name.

The record of a fact is what a file, a ledger and an explanation show. It holds what was said and nothing else, so that
equal facts have equal records, and its canonical form orders facts whose times are equal.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import TypeVar

from counterfoil.facts import FROM_INTENT, Attempt, Claim, Effect, Fact, Gap, Intent, Unreadable

VERSION = 1
"""The version of evidence that records are of. New fields and kinds don't change it: who doesn't know them leaves them
out. It changes with the meaning of what is there, and nobody may guess at that."""

KINDS: Mapping[str, type[Fact | Gap]] = {
    "intent": Intent,
    "attempt": Attempt,
    "effect": Effect,
    "claim": Claim,
    "unreadable": Unreadable,
    "gap": Gap,
}
_KIND_OF: Mapping[type[Fact | Gap], str] = {cls: kind for kind, cls in KINDS.items()}
_SPELLED: Mapping[type, Mapping[str, str]] = {Effect: {"payload_hash": "matches_payload_hash"}}
_FIELDS = {
    cls: tuple((field.name, _SPELLED.get(cls, {}).get(field.name, field.name)) for field in fields(cls))
    for cls in _KIND_OF
}
FIRST, LAST = -62_135_596_800_000_000_000, 253_402_300_799_999_999_999
"""The times that can be written down: the years 1 to 9999 in UTC."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_HINT = "idempotent_hint"

_observed_at = attrgetter("observed_at")

F = TypeVar("F", bound=Fact)


def record_of(fact: Fact | Gap) -> dict[str, object]:
    """The fact as JSON-ready values under the names of the evidence format; what wasn't said is left out."""
    record: dict[str, object] = {"kind": _KIND_OF[type(fact)]}
    for name, spelled in _FIELDS[type(fact)]:
        value = getattr(fact, name)
        if name == "observed_at":
            record[name] = rfc3339(value)
        elif name == _HINT:
            if value is not None:
                record["hints"] = {"idempotentHint": value}
        elif value is FROM_INTENT:
            continue
        elif value is not None or _null_is_said(fact, name):
            record[spelled] = value
    return record


def _null_is_said(fact: Fact | Gap, name: str) -> bool:
    """An attempt's explicit null key is "no key"; a look's null reference is "counted, not named"."""
    if isinstance(fact, Attempt):
        return name in ("idempotency_key", "key_scope")
    return isinstance(fact, Effect) and name == "effect_ref"


def canonical(fact: Fact | Gap) -> str:
    """The record as canonical JSON (sorted names, no white space): one text for one fact."""
    return json.dumps(record_of(fact), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def fact_id(fact: Fact | Gap) -> str:
    """A name made from the fact's content (64 hex digits), so that "insert where absent" is a join."""
    return hashlib.sha256(canonical(fact).encode("utf-8", "surrogatepass")).hexdigest()


def in_order(facts: Iterable[F]) -> list[F]:
    """By time observed; equal times by canonical JSON, so that the order of arrival never shows."""
    by_time = sorted(facts, key=_observed_at)
    if len(by_time) < 2:
        return by_time
    start = 0
    for end in range(1, len(by_time) + 1):
        if end == len(by_time) or by_time[end].observed_at != by_time[start].observed_at:
            if end - start > 1:
                by_time[start:end] = sorted(by_time[start:end], key=canonical)
            start = end
    return by_time


def rfc3339(nanoseconds: int) -> str:
    """A time from `FIRST` to `LAST` as RFC 3339 in UTC, with as many digits of the second as it needs."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    stamp = (_EPOCH + timedelta(seconds=seconds)).isoformat()[:19]
    return f"{stamp}.{rest:09d}".rstrip("0").rstrip(".") + "Z"
