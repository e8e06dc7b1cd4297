"""The verdict on a message list: the first gate that fails names it, and all that fail are its findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from counterfoil.evidence import Evidence
from counterfoil.histories.gates import GATES, Audited, Gate
from counterfoil.histories.history import History, HistoryVerdict, State

SENTENCES: Mapping[HistoryVerdict, str] = {
    HistoryVerdict.UNTRUSTED_HISTORY: "The list can't be trusted: having a transcript gives nobody the right to go on",
    HistoryVerdict.SCOPE_DRIFT: "The list belongs to another scope than the one it would be replayed in",
    HistoryVerdict.SYSTEM_PROMPT_GAP: "The agent would go on without the system prompt that its contract asks for",
    HistoryVerdict.INTERRUPTED_TOOL: "A tool call has no result of its own, and a replay might run it again",
    HistoryVerdict.ORPHAN_RESULT_REMOVED: "A result has no call, and a repair would drop it with whatever it proves",
    HistoryVerdict.MISSING_OUTCOME_RECEIPT: "A side effect in this conversation has no receipt that proves its outcome",
    HistoryVerdict.READY: "All six gates hold",
}

WAYS_OUT: Mapping[HistoryVerdict, str] = {
    HistoryVerdict.UNTRUSTED_HISTORY: "take the list from your own storage, and say so in the contract's provenance",
    HistoryVerdict.SCOPE_DRIFT: "declare the fork or merge in the contract, or resume the conversation that it is from",
    HistoryVerdict.SYSTEM_PROMPT_GAP: "put the agent's system prompt back, and audit again",
    HistoryVerdict.INTERRUPTED_TOOL: "find out what the call did, then close it with its result or let it run again",
    HistoryVerdict.ORPHAN_RESULT_REMOVED: "put the call of the result back, and audit again",
    HistoryVerdict.MISSING_OUTCOME_RECEIPT: "ask the target, by a probe or a person, and keep the receipt",
    HistoryVerdict.READY: "replay it",
}
"""The next safe action, in words."""


@dataclass(frozen=True, slots=True)
class HistoryJudgement:
    """What stands in the way of a replay. ``failures``: what failed each gate, content-free."""

    history_id: str
    verdict: HistoryVerdict
    findings: tuple[HistoryVerdict, ...]
    failures: Mapping[HistoryVerdict, tuple[str, ...]]
    state: State | None

    @property
    def explanation(self) -> str:
        """One plain sentence."""
        named = ", ".join(self.failures.get(self.verdict, ())[:4])
        state = {State.WAITING: "; it waits for a decision", State.STALLED: "; its time to go on has passed"}
        after = state[self.state] if self.state is not None else ""
        return f"{SENTENCES[self.verdict]}{f' ({named})' if named else ''}{after}."

    @property
    def way_out(self) -> str:
        """The next safe action."""
        return WAYS_OUT[self.verdict]


def audit(
    history: History, known: Mapping[str, Evidence], gates: Mapping[HistoryVerdict, Gate] = GATES
) -> HistoryJudgement:
    """Put a list through the gates; ``known`` is what the ledger holds. Audit the stored list, before any repair.

    A gate that breaks has not held: it fails, and the list isn't ready.
    """
    audited = Audited.of(history, known)
    failures = {verdict: failed for verdict, gate in gates.items() if (failed := _asked(gate, audited))}
    findings = tuple(failures)
    return HistoryJudgement(
        history.history_id,
        findings[0] if findings else HistoryVerdict.READY,
        findings,
        failures,
        state_of(audited),
    )


def state_of(audited: Audited) -> State | None:
    """A call that waits for somebody is legitimate until its wait expires; past that, or past the progress window with
    a call still open, the list is stalled."""
    history, now = audited.history, audited.history.observed_at
    waits = any(call.waits for call in audited.pairing.calls)
    open_call = any(call.result is None for call in audited.pairing.calls)
    expired = _passed(history.wait_expires_at, now) if waits else _passed(history.progress_until, now) and open_call
    if expired:
        return State.STALLED
    return State.WAITING if waits else None


def _passed(limit: int | None, now: int | None) -> bool:
    return limit is not None and now is not None and now > limit


def _asked(gate: Gate, audited: Audited) -> tuple[str, ...]:
    try:
        return gate(audited)
    except Exception:  # a gate that breaks must not let a list through
        return ("could not be checked",)
