"""Evidence records, version 1: one JSON object is one fact.

What can't be read is not used at all: half a record could be half an accusation. `Unusable` says what was wrong, and
which operation it was about if that much could be read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from counterfoil.facts import Attempt, Claim, Effect, Fact, Gap, Intent, Reported, Transport
from counterfoil.reading.hashing import fingerprint
from counterfoil.reading.times import nanoseconds

Record = Mapping[str, object]

MAX_TEXT = 1_024
"""The longest name, reference, key or hash that is read, in characters; a longer one makes its record unusable."""

MAX_COUNT = 2**53
"""The largest count that every JSON reader keeps exact."""


class Unusable(ValueError):
    """A record that can't be used: ``what`` was wrong with it, and the operation that it was about, if known."""

    def __init__(self, what: str, operation_id: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.operation_id = operation_id


def fact_from(record: Record) -> Fact | Gap:
    """The fact that a record states. Raises `Unusable`; a histories' record is for another reader."""
    reader = _READERS.get(_kind(record))
    if reader is None:
        raise Unusable("unknown kind", operation_id_of(record))
    values: dict[str, object] = {}
    try:
        for name, value in record.items():
            known = reader.fields.get(name)
            if known is not None:
                values[known.name] = known.read(value)
        missing = [name for name in reader.required if values.get(name) is None]
        if missing:
            raise ValueError(f"{missing[0]} is missing")
        return reader.finish(record, values)
    except (ValueError, TypeError, OverflowError) as wrong:
        raise Unusable(str(wrong), operation_id_of(record)) from None


def operation_id_of(record: Record) -> str | None:
    """The operation that a record names, if it names one."""
    name = record.get("operation_id", record.get("operationId"))
    return name if isinstance(name, str) and 0 < len(name) <= MAX_TEXT else None


def unlisted(record: Record) -> int:
    """How many fields of a record no reader of its kind knows. They are ignored."""
    reader = _READERS.get(_kind(record))
    return sum(name not in reader.fields and name != "kind" for name in record) if reader else 0


def _kind(record: Record) -> str:
    kind = record.get("kind")
    return kind if isinstance(kind, str) else ""


# ------------------------------------------------------------------------- values


def text(value: object) -> str | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise ValueError("not a text")
    if len(value) > MAX_TEXT:
        raise ValueError(f"longer than {MAX_TEXT} characters")
    if not value.isascii():
        value.encode()  # a lone surrogate can't leave this process again
    return value


def _key(value: object) -> str | None:
    said = text(value)
    return None if said is None else fingerprint(said)


def flag(value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise ValueError("neither true nor false")


def _count(value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise ValueError("not a whole number")
    if not 0 <= value <= MAX_COUNT:
        raise ValueError("a count out of range")
    return int(value)


def _positive(value: object) -> int | None:
    count = _count(value)
    if count == 0:
        raise ValueError("a count that must be at least 1")
    return count


def _seconds(value: object) -> float | None:
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


def _transport(value: object) -> Transport:
    said = text(value)
    return Transport(said) if said in _TRANSPORTS else Transport.STARTED


def _reported(value: object) -> Reported | None:
    said = text(value)
    return None if said is None else Reported(said) if said in _REPORTED else Reported.ABSENT


def _idempotent_hint(value: object) -> bool | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise ValueError("hints must be an object")
    return flag(value.get("idempotentHint"))


def _process(value: object) -> str | None:
    said = text(value)
    return None if said is None else said.removeprefix("process ")


_TRANSPORTS = frozenset(Transport)
_REPORTED = frozenset(Reported)

# -------------------------------------------------------------------------- kinds


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    read: Callable[[object], object]


@dataclass(frozen=True, slots=True)
class _Reader:
    fields: Mapping[str, _Field]
    required: tuple[str, ...]
    finish: Callable[[Record, dict[str, object]], Fact | Gap]


_TEXT_FIELDS = (
    "operation_id process trace_id span_id tool key_scope intent_ref id_source tool_call_id run_id conversation_id "
    "agent attempt_id proof payload_hash payload_state dispatch_ref scope source effect_ref stage why about_ref "
    "compensates by what"
)
_FLAG_FIELDS = (
    "side_effect approved hint_trusted executed replay started_only exception_event authoritative conforms replayed"
)
_VALUES: Mapping[str, Callable[[object], object]] = {
    **dict.fromkeys(_TEXT_FIELDS.split(), text),
    **dict.fromkeys(_FLAG_FIELDS.split(), flag),
    **dict.fromkeys(("count", "http_status", "attempt_no", "wire_requests"), _count),
    **dict.fromkeys(("key_ttl_s", "settle_after_s"), _seconds),
    "observed_at": time,
    "idempotency_key": _key,
    "expected_count": _positive,
    "transport": _transport,
    "reported": _reported,
    "idempotent_hint": _idempotent_hint,
}
_OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "operation_id": ("operationId",),
    "attempt_id": ("attemptId",),
    "idempotency_key": ("idempotencyKey",),
    "payload_hash": ("payloadHash", "request_hash"),
    "effect_ref": ("effectRef",),
    "observed_at": ("observedAt",),
    "transport": ("result",),
    "idempotent_hint": ("hints",),
}


def _fields(kind: type[Fact] | type[Gap], **more: tuple[str, ...]) -> dict[str, _Field]:
    """The names under which a record may give each field of a fact."""
    found: dict[str, _Field] = {}
    for name in kind.__dataclass_fields__:
        own = () if name == "idempotent_hint" else (name,)
        for spelled in (*own, *_OTHER_NAMES.get(name, ()), *more.get(name, ())):
            found[spelled] = _Field(name, _VALUES[name])
    return found


def _plain(kind: Callable[..., Fact | Gap]) -> Callable[[Record, dict[str, object]], Fact | Gap]:
    return lambda record, values: kind(**values)


def _effect(record: Record, values: dict[str, object]) -> Effect:
    """Published fixtures in camelCase say less: their effects are single, authoritative and from the provider."""
    if "operationId" in record:
        values.setdefault("source", "provider_receipt")
        if "authoritative" not in record and "count" not in record:
            values |= {"authoritative": True, "count": 1}
    if values.get("source") is None:
        raise ValueError("source is missing")
    values["authoritative"] = bool(values.get("authoritative"))
    return Effect(**values)  # type: ignore[arg-type]


_NAMED = ("operation_id", "observed_at")
_READERS: Mapping[str, _Reader] = {
    "intent": _Reader(_fields(Intent), _NAMED, _plain(Intent)),
    "attempt": _Reader(_fields(Attempt), (*_NAMED, "attempt_id"), _plain(Attempt)),
    "effect": _Reader(_fields(Effect, payload_hash=("matches_payload_hash",)), _NAMED, _effect),
    "claim": _Reader(_fields(Claim), (*_NAMED, "reported"), _plain(Claim)),
    "gap": _Reader(
        _fields(Gap, process=("scope",)) | {n: _Field("process", _process) for n in ("process", "scope")},
        ("what", "observed_at"),
        _plain(Gap),
    ),
}
