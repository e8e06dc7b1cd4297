"""A message list as the audit sees it: who stored it, what it must hold, and its parts by their ids. No content."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from counterfoil.histories.terms import Terms

SERVER_STORE, CLIENT = "server_store", "client"


class HistoryVerdict(StrEnum):
    """What stands in the way of a replay, worst first. `READY`: nothing that is on record."""

    UNTRUSTED_HISTORY = "untrusted_history"
    SCOPE_DRIFT = "scope_drift"
    SYSTEM_PROMPT_GAP = "system_prompt_gap"
    INTERRUPTED_TOOL = "interrupted_tool"
    ORPHAN_RESULT_REMOVED = "orphan_result_removed"
    MISSING_OUTCOME_RECEIPT = "missing_outcome_receipt"
    READY = "ready"


class State(StrEnum):
    """Beside the verdict: the list waits for somebody, or its time to go on has passed."""

    WAITING = "waiting"
    STALLED = "stalled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a message. ``placeholder``: it stands for a result that nobody has."""

    part: str
    tool_call_id: str | None = None
    tool: str | None = None
    payload_hash: str | None = None
    operation_id: str | None = None
    deferred: bool | None = None
    outcome: str | None = None
    executed: bool | None = None
    effect_ref: str | None = None
    placeholder: bool | None = None
    synthesized: bool | None = None
    native: bool | None = None
    digest: str | None = None

    @property
    def is_call(self) -> bool:
        return self.part == "tool-call" and not self.native

    @property
    def is_result(self) -> bool:
        """A request to retry answers a call too; without a call's id it is only talk."""
        answers = self.part == "tool-return" or (self.part == "retry-prompt" and self.tool_call_id is not None)
        return answers and not self.native

    @property
    def asks_to_retry(self) -> bool:
        return self.part == "retry-prompt" or self.outcome == "retried"

    @property
    def is_interrupted(self) -> bool:
        """The result was cut off, or made up. A stub that says that nothing ran is not made up."""
        if self.outcome == "interrupted":
            return True
        if self.executed is False and self.placeholder:
            return False
        return bool(self.synthesized or self.placeholder) or self.outcome == "synthesized"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A request to a model or its response. ``instructions``: there were some; never what they said."""

    kind: str
    state: str | None = None
    conversation_id: str | None = None
    run_id: str | None = None
    instructions: bool = False
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class History(Terms):
    """A stored message list with the terms that it has to meet.

    ``observed_at`` and ``wait_expires_at`` are nanoseconds since 1970.
    """

    history_id: str
    messages: tuple[Message, ...]
    observed_at: int | None = None
    run_id: str | None = None
    wait_expires_at: int | None = None

    @property
    def parts(self) -> Iterator[Part]:
        return (part for message in self.messages for part in message.parts)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call with the result that answers it, if one does."""

    part: Part
    result: Part | None

    @property
    def waits(self) -> bool:
        """Put off for a person or an outside system, and not answered yet."""
        return bool(self.part.deferred) and self.result is None


@dataclass(frozen=True, slots=True)
class Pairing:
    """Calls and results of a list, paired in order: ids repeat, so the first result answers the first open call."""

    calls: tuple[Call, ...]
    orphans: tuple[Part, ...]


def paired(history: History) -> Pairing:
    """Pair calls with results by id, first come first served. A result before its call is an orphan."""
    calls: list[Part] = []
    answers: dict[int, Part] = {}
    open_calls: dict[str | None, list[int]] = {}
    orphans: list[Part] = []
    for part in history.parts:
        if part.is_call:
            open_calls.setdefault(part.tool_call_id, []).append(len(calls))
            calls.append(part)
        elif part.is_result:
            waiting = open_calls.get(part.tool_call_id)
            if waiting:
                answers[waiting.pop(0)] = part
            else:
                orphans.append(part)
    return Pairing(tuple(Call(part, answers.get(n)) for n, part in enumerate(calls)), tuple(orphans))
