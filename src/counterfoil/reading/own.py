"""Our own vocabulary: what an application says on a span of the operation, or in baggage.

A value of the wrong type, too long, or not fit to leave this process again is ignored and counted; the others count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace

from counterfoil import names
from counterfoil.facts import ADVISED, PROVIDER_RECEIPT, UNADVISED, Effect, Reported
from counterfoil.reading import values
from counterfoil.reading.hashing import fingerprint
from counterfoil.reading.views import Attributes

MAX_REFS = 16
"""So many references are read from one attribute."""

_HASH = re.compile(r"(?:hmac-)?sha256:[0-9a-f]{64}", re.ASCII)

UNUSABLE = "unusable_value"
"""The cause under which ignored values are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """What one span says of its operation. None where it says nothing."""

    operation_id: str | None = None
    intent_ref: str | None = None
    side_effect: bool | None = None
    expected_count: int | None = None
    request_hash: str | None = None
    idempotency_key: str | None = None  # fingerprinted
    key_scope: str | None = None
    effect_refs: tuple[str, ...] = ()
    effect_count: int | None = None
    effect_source: str | None = None
    authoritative: bool | None = None
    about_ref: str | None = None
    compensates: str | None = None
    conforms: bool | None = None
    stage: str | None = None
    reported: Reported | None = None
    executed: bool | None = None
    proof: str | None = None
    advice: str | None = None
    consult_mode: str | None = None
    consult_result: str | None = None
    consult_provider: str | None = None
    consult_model: str | None = None
    history_forwarded: bool | None = None

    @property
    def has_effect(self) -> bool:
        named = self.effect_refs or self.about_ref is not None or self.compensates is not None
        return bool(named) or self.effect_count is not None

    def over(self, other: Own) -> Own:
        """What this one says, and what the other says where this one is silent."""
        if self is NOTHING or other is NOTHING:
            return other if self is NOTHING else self
        silent = [one.name for one in fields(Own) if getattr(self, one.name) in (None, ())]
        return replace(self, **{name: getattr(other, name) for name in silent})


NOTHING = Own()


def own_words(attributes: Attributes | None, spilled: Counter[str], secret: bytes | None, *, text: bool = False) -> Own:
    """Read our attributes. ``text``: they are from baggage, where every value is text. Ignored ones are counted."""
    if not attributes:
        return NOTHING
    said: dict[str, object] = {}
    for name in _READERS.keys() & attributes.keys():
        (field, read), value = _READERS[name], attributes[name]
        try:
            said[field] = read(_untexted(value) if text and field in _NOT_TEXT else value)
        except (ValueError, TypeError, OverflowError):
            spilled[UNUSABLE] += 1
    if not said:
        return NOTHING
    if isinstance(key := said.get("idempotency_key"), str):
        said["idempotency_key"] = fingerprint(key, secret)
    return Own(**said)  # type: ignore[arg-type]


def effects_of(said: Own, operation_id: str, *, started_at: int, ended_at: int, **where: object) -> list[Effect]:
    """The effects that a span shows. It was looked while the span was open: what was there is there by its end, and
    what was not there is known to have been missing at its start."""
    count = said.effect_count
    refs: tuple[str | None, ...] = said.effect_refs or (None,)
    return [
        Effect(
            operation_id=operation_id,
            observed_at=started_at if count == 0 else ended_at,
            source=said.effect_source or PROVIDER_RECEIPT,
            effect_ref=ref,
            count=count,
            authoritative=bool(said.authoritative),
            about_ref=said.about_ref,
            compensates=said.compensates,
            conforms=said.conforms,
            stage=said.stage,
            payload_hash=said.request_hash,
            **where,  # type: ignore[arg-type]
        )
        for ref in refs
    ]


def _hash(value: object) -> str | None:
    said = values.text(value)
    if said is not None and not _HASH.fullmatch(said):
        raise ValueError("not a hash")
    return said


def _advice(value: object) -> str:
    if value in (ADVISED, UNADVISED):
        return str(value)
    raise ValueError("not a word of ours")


def _refs(value: object) -> tuple[str, ...]:
    several = value if isinstance(value, list | tuple) else (value,)
    return tuple(ref for one in several[:MAX_REFS] if (ref := values.text(one)) is not None)


def _untexted(value: object) -> object:
    if value in ("true", "false"):
        return value == "true"
    if isinstance(value, str) and value.isdecimal() and value.isascii() and len(value) < 16:
        return int(value)
    return value


_READERS: Mapping[str, tuple[str, Callable[[object], object]]] = {
    names.OPERATION_ID: ("operation_id", values.text),
    names.INTENT_REF: ("intent_ref", values.text),
    names.SIDE_EFFECT: ("side_effect", values.flag),
    names.EXPECTED_COUNT: ("expected_count", values.positive),
    names.REQUEST_HASH: ("request_hash", _hash),
    names.IDEMPOTENCY_KEY: ("idempotency_key", values.text),
    names.KEY_SCOPE: ("key_scope", values.text),
    names.EFFECT_REF: ("effect_refs", _refs),
    names.EFFECT_COUNT: ("effect_count", values.count),
    names.EFFECT_SOURCE: ("effect_source", values.text),
    names.EFFECT_AUTHORITATIVE: ("authoritative", values.flag),
    names.EFFECT_ABOUT_REF: ("about_ref", values.text),
    names.EFFECT_COMPENSATES: ("compensates", values.text),
    names.EFFECT_CONFORMS: ("conforms", values.flag),
    names.EFFECT_STAGE: ("stage", values.text),
    names.REPORTED: ("reported", values.reported),
    names.EXECUTED: ("executed", values.flag),
    names.PROOF: ("proof", values.text),
    names.ADVICE: ("advice", _advice),
    names.CONSULT_MODE: ("consult_mode", values.text),
    names.CONSULT_RESULT: ("consult_result", values.text),
    names.CONSULT_PROVIDER: ("consult_provider", values.text),
    names.CONSULT_MODEL: ("consult_model", values.text),
    names.CONSULT_HISTORY: ("history_forwarded", values.flag),
}
_NOT_TEXT = frozenset(
    ("side_effect", "expected_count", "effect_count", "authoritative", "conforms", "executed", "history_forwarded")
)
