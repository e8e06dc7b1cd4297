"""What an audit of a message list says, to people and to programs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from counterfoil.histories.audit import HistoryJudgement
from counterfoil.histories.contract import Wait
from counterfoil.histories.history import HistoryVerdict, State
from counterfoil.records import rfc3339


@dataclass(frozen=True, slots=True)
class Note:
    """Something that a person should know beside the verdict: about which call, by its hash, and what. No content."""

    call: str | None
    what: str


class RepairKind(StrEnum):
    """What a framework does to a list in silence before it sends it."""

    DROPPED_RESULT = "dropped_result"  # with whatever receipt it held
    CLOSED_CALL = "closed_call"  # with a result that was made up
    MERGED_MESSAGES = "merged_messages"  # without their ids and metadata


@dataclass(frozen=True, slots=True)
class Repair:
    """One kind of repair: how many parts or messages it takes in, and which calls, by their hashes. No content."""

    kind: RepairKind
    number: int
    calls: tuple[str, ...] = ()


class Decision(StrEnum):
    """What is done about a run that resumes from a list."""

    GO = "go"
    WARN = "warn"  # and go
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class HistoryAudit:
    """What stands in the way of a replay, and what a person should know beside it. Nothing in it is content.

    ``ready`` says that all six gates hold by what is on record; it does not say that the model will do well with it.
    """

    judgement: HistoryJudgement
    messages: int
    receipts: int
    notes: tuple[Note, ...]
    waiting: Wait | None = None

    @property
    def ready(self) -> bool:
        return self.verdict is HistoryVerdict.READY

    @property
    def verdict(self) -> HistoryVerdict:
        return self.judgement.verdict

    @property
    def findings(self) -> tuple[HistoryVerdict, ...]:
        return self.judgement.findings

    @property
    def state(self) -> State | None:
        return self.judgement.state

    @property
    def explanation(self) -> str:
        return self.judgement.explanation

    @property
    def way_out(self) -> str:
        """The next safe action."""
        return self.judgement.way_out

    def as_json(self) -> dict[str, object]:
        """JSON-ready values; parts are named by the hash of their call's id."""
        return {
            "verdict": self.verdict.value,
            "findings": [finding.value for finding in self.findings],
            "state": self.state.value if self.state is not None else None,
            "waiting": self._wait(),
            "explanation": self.explanation,
            "failures": {verdict.value: list(failed) for verdict, failed in self.judgement.failures.items()},
            "notes": [{"call": note.call, "note": note.what} for note in self.notes],
            "messages": self.messages,
            "receipts": self.receipts,
        }

    def _wait(self) -> dict[str, str] | None:
        """Whom a waiting list waits for. The resume token is nobody's business but the owner's."""
        if self.waiting is None or self.state is None:
            return None
        wait = self.waiting
        return {"owner": wait.owner, "decision": wait.decision, "expires_at": rfc3339(wait.expires_at)}
