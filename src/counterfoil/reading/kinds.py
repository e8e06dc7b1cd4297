"""The kinds of evidence records: which names each may have, and what each value is read by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from counterfoil.facts import Attempt, Claim, Effect, Fact, Gap, Intent, Unreadable
from counterfoil.reading import values

Read = Callable[[object], object]


@dataclass(frozen=True, slots=True, eq=False)
class RecordKind:
    """A kind of record. ``fields``: by the name that a record gives it, the fact's field and its reader."""

    type: type[Fact] | type[Gap]
    fields: Mapping[str, tuple[str, Read]]
    required: tuple[str, ...]
    constants: Callable[[tuple[str, ...]], dict[str, object]] = lambda names: {}


_OWN = "attempt_id effect_ref span_id trace_id operation_id about_ref compensates"
_WORDS = (
    "process tool key_scope intent_ref id_source tool_call_id run_id conversation_id agent proof "
    "payload_state key_state dispatch_ref scope source stage why by what advice waits_for decision resume_token field"
)
_FLAGS = (
    "side_effect approved hint_trusted executed replay started_only exception_event authoritative conforms replayed"
)
_VALUES: dict[str, Read] = {
    **dict.fromkeys(_OWN.split(), values.own_name),
    **dict.fromkeys(_WORDS.split(), values.word),
    **dict.fromkeys(_FLAGS.split(), values.flag),
    **dict.fromkeys(("count", "http_status", "attempt_no", "wire_requests"), values.count),
    **dict.fromkeys(("key_ttl_s", "settle_after_s", "wait_s"), values.seconds),
    "observed_at": values.time,
    "idempotency_key": values.key,
    "payload_hash": values.payload_hash,
    "expected_count": values.positive,
    "transport": values.transport,
    "reported": values.reported,
    "idempotent_hint": values.idempotent_hint,
}
_OTHER_NAMES: dict[str, tuple[str, ...]] = {
    "operation_id": ("operationId",),
    "attempt_id": ("attemptId",),
    "idempotency_key": ("idempotencyKey",),
    "payload_hash": ("payloadHash", "request_hash"),
    "effect_ref": ("effectRef",),
    "observed_at": ("observedAt",),
    "transport": ("result",),
    "idempotent_hint": ("hints",),
}


def _kind(
    fact: type[Fact] | type[Gap],
    required: tuple[str, ...],
    *,
    other_names: Mapping[str, tuple[str, ...]] = _OTHER_NAMES,
    readers: Mapping[str, Read] = _VALUES,
    constants: Callable[[tuple[str, ...]], dict[str, object]] = lambda names: {},
) -> RecordKind:
    fields: dict[str, tuple[str, Read]] = {}
    for name in fact.__dataclass_fields__:
        read = readers[name]
        if name in (*required, "operation_id") and read is not values.time:  # a time is never None
            read = values.required(name, read)
        own = () if name == "idempotent_hint" else (name,)
        fields |= dict.fromkeys((*own, *other_names.get(name, ())), (name, read))
    return RecordKind(fact, fields, required, constants)


def _left_out(names: tuple[str, ...]) -> dict[str, object]:
    """Published fixtures in camelCase say less: their effects are single, authoritative and from the provider."""
    if "operationId" not in names:
        return {}
    source: dict[str, object] = {} if "source" in names else {"source": "provider_receipt"}
    believed = {"authoritative", "count"}.isdisjoint(names)
    return source | ({"authoritative": True, "count": 1} if believed else {})


KINDS: Mapping[str, RecordKind] = {
    "intent": _kind(Intent, ("observed_at",)),
    "attempt": _kind(Attempt, ("observed_at", "attempt_id")),
    "effect": _kind(
        Effect,
        ("observed_at", "source"),
        other_names=_OTHER_NAMES | {"payload_hash": (*_OTHER_NAMES["payload_hash"], "matches_payload_hash")},
        readers=_VALUES | {"authoritative": lambda value: bool(values.flag(value))},
        constants=_left_out,
    ),
    "claim": _kind(Claim, ("observed_at", "reported")),
    "unreadable": _kind(Unreadable, ("observed_at", "field")),
    "gap": _kind(
        Gap,
        ("observed_at", "what"),
        other_names=_OTHER_NAMES | {"process": ("scope",)},
        readers=_VALUES | {"process": values.process},
    ),
}
