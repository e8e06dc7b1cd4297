"""The vocabulary: what telemetry, providers and people may say about one operation.

A fact is frozen, true on its own, and never corrected: a fact that turns out to be half the story is joined by another
fact. Nothing here knows where a fact came from (a span, a file, a webhook) or what it amounts to.

Times are integers: nanoseconds since 1970-01-01T00:00:00Z, by the clock of whoever observed. Hashes are
``sha256:<hex>`` or ``hmac-sha256:<hex>`` and are opaque here; so are idempotency keys, which readers fingerprint.
Fields and their meaning: evidence, version 1. A field that is ``None`` was not said.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum


class Transport(StrEnum):
    """How the sender saw one dispatch end. It says nothing about the effect."""

    SUCCESS = "success"
    TIMEOUT = "timeout"
    ERROR = "error"
    HTTP_STATUS = "http_status"
    CANCELLED = "cancelled"
    STARTED = "started"  # never seen to end; also every word that we don't know


class Reported(StrEnum):
    """What a tool or a model told its caller, apart from the transport."""

    SUCCESS = "success"
    ERROR = "error"
    ACCEPTED = "accepted"
    ABSENT = "absent"  # it told nothing; also every word that we don't know


class Inherited(Enum):
    """The attempt doesn't say; the intent's word holds. Unlike ``None``, which says that there is none."""

    FROM_INTENT = "from intent"


FROM_INTENT = Inherited.FROM_INTENT

APPLIED = "applied"
"""The stage of an effect that took place. An effect without a stage is applied; any other word is not."""

ACCEPTED = "accepted"
"""The stage of an effect that the target promised and has not made."""

PROVIDER_REJECTED = "provider_rejected"
"""The proof of an attempt that reached the provider and was definitely refused: it used its key and did nothing."""

UNSEEN = "unseen"
"""The state of a key that nobody could see: the attempt may have had one. Without a word of state, an attempt that
names no key, of an operation that names none, had none."""

NO_REQUEST = "no_request"
"""The state of the key of a call below which no request was seen. It had none, as far as anybody knows, unless another
attempt of the operation is known to have had one: then this one's could not be seen."""

DEFERRED_FOR_APPROVAL = "deferred_for_approval"
"""The proof of an attempt that waits for a person: its body has not run."""

DENIED = "denied"
"""The proof of an attempt that a person, or whoever decides for one, did not allow: its body will not run."""

ADVISED, UNADVISED = "taken", "missing"
"""Whether an advisor was asked, in the same run and after the last word of the user, before a call that requires it."""

PROVIDER_RECEIPT, PROBE, WEBHOOK, HUMAN = "provider_receipt", "probe", "webhook", "human"
"""Where an effect was seen. Other words are kept as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something was observed about one operation. ``trace_id`` and ``span_id`` (hex) name the span that said so."""

    operation_id: str
    observed_at: int
    process: str | None = None
    trace_id: str | None = None
    span_id: str | None = None
    expected_count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent(Fact):
    """An agent committed to doing this, once. It does not prove that anything was sent.

    One that waits for a person says for whom, what has to be decided, for how long at most, and by what (fingerprinted)
    it is carried on.
    """

    tool: str | None = None
    side_effect: bool | None = None
    payload_hash: str | None = None
    idempotency_key: str | None = None
    key_scope: str | None = None
    key_ttl_s: float | None = None
    settle_after_s: float | None = None  # the target's read lag, as the operator knows it
    intent_ref: str | None = None
    approved: bool | None = None
    idempotent_hint: bool | None = None
    hint_trusted: bool | None = None
    waits_for: str | None = None
    decision: str | None = None
    wait_s: float | None = None
    resume_token: str | None = None
    id_source: str | None = None
    tool_call_id: str | None = None
    run_id: str | None = None
    conversation_id: str | None = None
    agent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt(Fact):
    """A request left for the world, or was stopped before it did (``executed`` false, with its ``proof``).

    It proves neither an effect nor the lack of one. Several facts may be views of one attempt.
    """

    attempt_id: str
    transport: Transport = Transport.STARTED
    http_status: int | None = None
    reported: Reported | None = None
    executed: bool | None = None
    proof: str | None = None
    payload_hash: str | None = None
    payload_state: str | None = None
    idempotency_key: str | Inherited | None = FROM_INTENT
    key_scope: str | Inherited | None = FROM_INTENT
    key_ttl_s: float | None = None
    key_state: str | None = None
    replay: bool | None = None
    dispatch_ref: str | None = None
    scope: str | None = None
    tool_call_id: str | None = None
    run_id: str | None = None
    wire_requests: int | None = None
    attempt_no: int | None = None
    started_only: bool | None = None
    exception_event: bool | None = None
    id_source: str | None = None
    advice: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect(Fact):
    """What the target system holds, in its own words.

    ``effect_ref`` is the target's own name for one object; without it, ``count`` is how many a look found in all.
    Only an ``authoritative`` source may be believed, on presence and on absence.
    """

    source: str
    effect_ref: str | None = None
    count: int | None = None
    authoritative: bool = False
    settle_after_s: float | None = None
    stage: str | None = None
    payload_hash: str | None = None
    conforms: bool | None = None
    why: str | None = None
    about_ref: str | None = None
    compensates: str | None = None
    replayed: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim(Fact):
    """Somebody says that it is done, or that it failed. Evidence of activity, not of an effect."""

    reported: Reported
    by: str | None = None
    tool: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable(Fact):
    """A record about this operation could not be read; ``field`` is what was wrong. ``observed_at`` is 0."""

    field: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Telemetry is known to be incomplete, in one process or (without ``process``) anywhere."""

    what: str
    observed_at: int
    process: str | None = None
