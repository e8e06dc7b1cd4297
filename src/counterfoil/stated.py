"""The operation that is being carried out, as its body sees it: its stable key, and where receipts are left."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache

from opentelemetry import baggage, context
from opentelemetry.util.types import AttributeValue

from counterfoil import names
from counterfoil.config import Config
from counterfoil.facts import PROVIDER_RECEIPT, PROVIDER_REJECTED, Effect
from counterfoil.reading.hashing import fingerprint

MAX_REFS = 16
"""So many references are kept of one operation, as readers do."""


@dataclass(slots=True, eq=False)
class Stated:
    """The operation that is being carried out, as its body sees it."""

    operation_id: str
    tool: str | None = None
    intent_ref: str | None = None
    key: str | None = field(default=None, repr=False)
    key_used: bool = False
    refs: list[str] = field(default_factory=list)
    authoritative: bool = True
    stage: str | None = None
    rejected: bool = False

    @property
    def idempotency_key(self) -> str:
        """The key to send to the provider: the same for every repeat, in any process. Asking for it counts as using it.

        It is made from the operation's id, unless another was given."""
        self.key_used = True
        return self.key if self.key is not None else key_of(self.operation_id)

    @property
    def metadata(self) -> dict[str, str]:
        """For the provider's own metadata field, so that a webhook can name the operation."""
        return {"counterfoil_operation_id": self.operation_id}

    def receipt(self, effect_ref: str, *, authoritative: bool = True, stage: str | None = None) -> None:
        """The target's own name for what was done. ``stage``: ``accepted`` is a promise. More than `MAX_REFS` are not
        kept. ``authoritative``: the source may be believed, as the provider's own answer may."""
        if len(self.refs) < MAX_REFS:
            self.refs.append(effect_ref)
        self.authoritative = self.authoritative and authoritative
        self.stage = stage or self.stage

    def did_nothing(self) -> None:
        """The provider answered, and its answer was a definite no: a repeat is safe. Say it only if it is certain."""
        self.rejected = True

    def said(self, secret: bytes | None) -> dict[str, AttributeValue]:
        """What the body left behind, as attributes; of a key only its fingerprint."""
        attributes: dict[str, AttributeValue] = {}
        if self.refs:
            attributes[names.EFFECT_REF] = list(self.refs)
            attributes[names.EFFECT_SOURCE] = PROVIDER_RECEIPT
            attributes[names.EFFECT_AUTHORITATIVE] = self.authoritative
        if self.refs and self.stage is not None:
            attributes[names.EFFECT_STAGE] = self.stage
        if self.key_used:
            attributes[names.IDEMPOTENCY_KEY] = fingerprint(self.idempotency_key, secret)
        if self.rejected and not self.refs:
            attributes |= {names.EXECUTED: False, names.PROOF: PROVIDER_REJECTED}
        return attributes

    def effects(self, payload: str | None = None) -> list[Effect]:
        """The references as facts."""
        return [
            Effect(
                operation_id=self.operation_id,
                observed_at=time.time_ns(),
                source=PROVIDER_RECEIPT,
                effect_ref=ref,
                authoritative=self.authoritative,
                stage=self.stage,
                payload_hash=payload,
            )
            for ref in self.refs
        ]


current: ContextVar[Stated | None] = ContextVar("counterfoil_operation", default=None)


def current_operation() -> Stated | None:
    """The operation that this code is part of; None outside of any. Threads and tasks started in here have it too."""
    return current.get()


@contextmanager
def in_force(stated: Stated, *, in_baggage: bool = True) -> Iterator[None]:
    """Make this the current operation. In baggage its id reaches what is called, also in other processes if a baggage
    propagator is set; a tool's body does without, since an agent that runs in there has operations of its own."""
    token = current.set(stated)
    attached = context.attach(baggage.set_baggage(names.OPERATION_ID, stated.operation_id)) if in_baggage else None
    try:
        yield
    finally:
        if attached is not None:
            context.detach(attached)
        current.reset(token)


@cache
def settings() -> Config:
    """The environment's settings. What is wrong there is told by whoever attaches."""
    return Config.load()[0]


def key_of(operation_id: str) -> str:
    """The key of an operation that was given none: the same in every process, made from its name."""
    digest = hashlib.sha256(operation_id.encode("utf-8", "surrogatepass")).hexdigest()
    return f"counterfoil-{digest[:40]}"
