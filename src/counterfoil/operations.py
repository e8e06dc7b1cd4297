"""One operation as its facts tell it: what was meant, what was sent, what was seen and what was claimed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from counterfoil.dispatch import Dispatch, dispatches_of, first, hash_kind
from counterfoil.evidence import NONE, Evidence
from counterfoil.facts import DEFERRED_FOR_APPROVAL, Attempt, Claim, Effect, Intent, Reported, Unreadable
from counterfoil.records import in_order

DECLARED_SOURCES = (None, "declared", "idempotency_key")
"""How an operation got a name that somebody chose. Every other ``id_source`` is derived and may not be unique."""


@dataclass(frozen=True)
class Operation:
    """The facts of one operation, sorted by what they are about, each kind in order of time.

    What follows from all of them is worked out once, however often it is asked for.
    """

    operation_id: str
    facts: Evidence
    intents: tuple[Intent, ...]
    dispatches: tuple[Dispatch, ...]
    looks: tuple[Effect, ...]
    claims: tuple[Claim, ...]
    executed: tuple[Dispatch, ...]
    unreadable: bool

    @property
    def tool(self) -> str | None:
        """The tool's name as the intents give it, else as a claim does."""
        return first((*(intent.tool for intent in self.intents), *(claim.tool for claim in self.claims)))

    @cached_property
    def is_read(self) -> bool:
        """Every intent says that it has no side effect, and there is one. Silence means that it may have one."""
        return bool(self.intents) and all(intent.side_effect is False for intent in self.intents)

    @cached_property
    def expected_count(self) -> int:
        """The largest number of effects that any fact says it should have; one, where none says."""
        return max((fact.expected_count for fact in self.facts if fact.expected_count is not None), default=1)

    @cached_property
    def read_lag_s(self) -> float:
        """So long after an attempt the target may not show yet what it did, by the largest that an intent says."""
        return max((intent.settle_after_s or 0 for intent in self.intents), default=0)

    @cached_property
    def intent_refs(self) -> frozenset[str]:
        return frozenset(intent.intent_ref for intent in self.intents if intent.intent_ref is not None)

    @cached_property
    def payload_hashes(self) -> frozenset[str]:
        """Every payload that this operation is known to have meant or sent."""
        meant = (intent.payload_hash for intent in self.intents)
        sent = (dispatch.payload_hash for dispatch in self.dispatches)
        return frozenset(payload for payload in (*meant, *sent) if payload is not None)

    @cached_property
    def last_executed_at(self) -> int | None:
        return max((dispatch.ended_at for dispatch in self.executed), default=None)

    @cached_property
    def trusted_idempotent(self) -> bool:
        return any(intent.idempotent_hint and intent.hint_trusted for intent in self.intents)

    @cached_property
    def unlike_intents(self) -> Evidence:
        """Two intents that differ in payload, tool or run, and those that say that the name was derived: several calls
        share it. None where that isn't so."""
        sources = (fact.id_source for fact in self.facts if isinstance(fact, Intent | Attempt))
        if not any(source not in DECLARED_SOURCES for source in sources):
            return NONE
        firsts: dict[tuple[str, str], tuple[int, str]] = {}  # by trait, the first intent that has it, and its value
        for place, intent in enumerate(self.intents):
            known = [(firsts.setdefault(trait, (place, value)), value) for trait, value in _traits(intent)]
            unlike = [first for (first, first_value), value in known if first_value != value]
            if unlike:
                derived = (one for one in self.intents if one.id_source not in DECLARED_SOURCES)
                return Evidence({self.intents[min(unlike)], intent, *derived})
        return NONE

    @property
    def awaits_approval(self) -> bool:
        newest = self.dispatches[-1] if self.dispatches and not self.executed else None
        return newest is not None and newest.proof == DEFERRED_FOR_APPROVAL

    @cached_property
    def success_reported(self) -> Evidence:
        """The facts in which somebody said that it is done: claims, and attempts that executed."""
        claimed = (claim for claim in self.claims if claim.reported is Reported.SUCCESS)
        return Evidence(claimed).union(*(d.witness for d in self.executed if d.said_success))


def operation_from(operation_id: str, facts: Evidence) -> Operation:
    """Sort one operation's facts. Facts about other operations don't belong in here."""
    intents: list[Intent] = []
    attempts: list[Attempt] = []
    looks: list[Effect] = []
    claims: list[Claim] = []
    unreadable = False
    for fact in facts:
        match fact:
            case Attempt():
                attempts.append(fact)
            case Effect():
                looks.append(fact)
            case Intent():
                intents.append(fact)
            case Claim():
                claims.append(fact)
            case Unreadable():
                unreadable = True
    meant = tuple(in_order(intents))
    dispatches = dispatches_of(attempts, meant)
    return Operation(
        operation_id=operation_id,
        facts=facts,
        intents=meant,
        dispatches=dispatches,
        looks=tuple(in_order(looks)),
        claims=tuple(in_order(claims)),
        executed=tuple(dispatch for dispatch in dispatches if dispatch.executed),
        unreadable=unreadable,
    )


def _traits(intent: Intent) -> Iterator[tuple[tuple[str, str], str]]:
    """What two intents of one call have in common. Hashes of two kinds can't be compared."""
    if intent.payload_hash is not None:
        yield ("payload", hash_kind(intent.payload_hash)), intent.payload_hash
    if intent.tool is not None:
        yield ("tool", ""), intent.tool
    if intent.run_id is not None:
        yield ("run", ""), intent.run_id
