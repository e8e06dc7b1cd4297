"""Six gates before a message list is replayed, worst first.

Each gate names what fails it; nothing named, it holds. A gate whose field is absent holds, but for provenance:
possession of a transcript isn't authority. Parts are named by a hash of the call's id, so that an audit can be shown.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from counterfoil.dispatch import differ
from counterfoil.evidence import NONE, Evidence
from counterfoil.facts import Effect, Intent
from counterfoil.histories.history import CLIENT, SERVER_STORE, Call, History, HistoryVerdict, Pairing, Part, paired
from counterfoil.holdings import is_sighting, is_total

Known = Mapping[str, Evidence]  # what the ledger holds, by operation


@dataclass(frozen=True, slots=True)
class Audited:
    """What a gate may look at."""

    history: History
    pairing: Pairing
    known: Known

    @classmethod
    def of(cls, history: History, known: Known) -> Audited:
        return cls(history, paired(history), known)


Gate = Callable[[Audited], tuple[str, ...]]


def untrusted(audited: Audited) -> tuple[str, ...]:
    """The list did not come from server-side storage, or its owner isn't the caller."""
    history = audited.history
    known = CLIENT if history.provenance == CLIENT else "unknown"  # another word may be anything, and isn't repeated
    failures = [] if history.provenance == SERVER_STORE else [f"provenance is {known}"]
    if None not in (history.owner, history.caller) and history.owner != history.caller:
        failures.append("the owner is not the caller")
    return tuple(failures)


def scope_drift(audited: Audited) -> tuple[str, ...]:
    """The list belongs to another conversation, or to several, and no fork or merge was declared; a run's id stands
    where a conversation's should; or it was stored under another authorization. No id at all is not another id."""
    history = audited.history
    ids = {m.conversation_id for m in history.messages if m.conversation_id is not None}
    runs = {run for run in (history.run_id, *(m.run_id for m in history.messages)) if run is not None}
    declared = {history.conversation_id, history.forked_from, *history.merged_from} - {None}
    failures = []
    if len(ids) > 1 if not declared else not ids <= declared:
        failures.append("messages of another conversation")
    if history.forked_from is not None and history.conversation_id == history.forked_from:
        failures.append("a fork that kept the original's id")
    if runs & (ids | {history.conversation_id}):
        failures.append("a run's id is used as the conversation's")
    contexts = (history.authorization_context, history.replay_context)
    if None not in contexts and contexts[0] != contexts[1]:
        failures.append("stored under another authorization context")
    return tuple(failures)


def system_prompt_gap(audited: Audited) -> tuple[str, ...]:
    """The contract asks for a system prompt and none survived. Instructions count where the contract says so."""
    history = audited.history
    if not history.expects_system_prompt and history.prompt_digest is None:
        return ()
    prompts = [part for part in history.parts if part.part == "system-prompt"]
    if any(None in (history.prompt_digest, p.digest) or p.digest == history.prompt_digest for p in prompts):
        return ()
    if history.instructions_count and any(message.instructions for message in history.messages):
        return ()
    return ("another system prompt than the contract's" if prompts else "no system prompt survived",)


def interrupted_tool(audited: Audited) -> tuple[str, ...]:
    """A call has no result, or one that was made up or cut off. A call that waits for approval is not interrupted."""
    return tuple(
        call_name(call.part)
        for call in audited.pairing.calls
        if (call.result is None and not call.waits) or (call.result is not None and call.result.is_interrupted)
    )


def orphan_result(audited: Audited) -> tuple[str, ...]:
    """A result has no call: repair drops it in silence, with whatever receipt it held."""
    return tuple(call_name(part) for part in audited.pairing.orphans)


def missing_receipt(audited: Audited) -> tuple[str, ...]:
    """A side-effecting call has no receipt bound to its operation and payload, or an operation of this conversation is
    not in the list any more. A reference in the list is a claim; placeholders and retries are no receipts."""
    calls = (call for call in audited.pairing.calls if _needs_receipt(audited.history, call))
    unproved = [call_name(call.part) for call in calls if not _has_receipt(audited.known, call)]
    return (*unproved, *_unmentioned(audited))


def _needs_receipt(history: History, call: Call) -> bool:
    """What waits has nothing to prove yet; what a person denied never will have."""
    denied = call.result is not None and call.result.outcome == "denied"
    return call.part.tool in history.side_effect_tools and not call.waits and not denied


def _has_receipt(known: Known, call: Call) -> bool:
    name = call.part.operation_id or (call.result.operation_id if call.result is not None else None)
    facts = known.get(name, NONE) if name is not None else NONE
    return any(
        isinstance(fact, Effect) and _shows_one(fact) and not differ(fact.payload_hash, call.part.payload_hash)
        for fact in facts
    )


def _shows_one(look: Effect) -> bool:
    """The target was seen to hold what it names, or counted at least one that it doesn't name."""
    return is_sighting(look) or (look.authoritative and is_total(look) and bool(look.count))


def _unmentioned(audited: Audited) -> Iterable[str]:
    """Operations that took place in this conversation and are not in the list any more."""
    history = audited.history
    mentioned = {part.operation_id for part in history.parts}
    of_conversation = {
        name
        for name, facts in audited.known.items()
        if history.conversation_id is not None
        and any(
            isinstance(fact, Intent)
            and fact.conversation_id == history.conversation_id
            and fact.side_effect is not False
            for fact in facts
        )
    }
    return sorted((history.ledger_operations | of_conversation) - mentioned)


def call_name(part: Part) -> str:
    """A call's id, hashed: enough to find the part again, and nothing to read."""
    return "call:" + hashlib.sha256((part.tool_call_id or "").encode("utf-8", "surrogatepass")).hexdigest()[:16]


GATES: Mapping[HistoryVerdict, Gate] = {
    HistoryVerdict.UNTRUSTED_HISTORY: untrusted,
    HistoryVerdict.SCOPE_DRIFT: scope_drift,
    HistoryVerdict.SYSTEM_PROMPT_GAP: system_prompt_gap,
    HistoryVerdict.INTERRUPTED_TOOL: interrupted_tool,
    HistoryVerdict.ORPHAN_RESULT_REMOVED: orphan_result,
    HistoryVerdict.MISSING_OUTCOME_RECEIPT: missing_receipt,
}
