"""How a tool's body ended, each way apart. None of them says anything of the effect but that a deferral had none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic_ai.exceptions import (
    ApprovalRequired,
    CallDeferred,
    ModelRetry,
    SkipToolExecution,
    ToolFailed,
    ToolFailedError,
    ToolRetryError,
)

from counterfoil.facts import DEFERRED_FOR_APPROVAL, Reported, Transport


@dataclass(frozen=True, slots=True)
class Outcome:
    """``word`` is what the span says, the rest what the attempt was."""

    word: str
    transport: Transport
    reported: Reported | None = None
    proof: str | None = None


SUCCESS = Outcome("success", Transport.SUCCESS, Reported.SUCCESS)
_RETRY = Outcome("retry_asked", Transport.ERROR, Reported.ERROR)
_FAILED = Outcome("failed", Transport.ERROR, Reported.ERROR)
_DEFERRED = Outcome("deferred", Transport.STARTED, None, DEFERRED_FOR_APPROVAL)
_SKIPPED = Outcome("skipped", Transport.STARTED, Reported.ABSENT)
_TIMED_OUT = Outcome("timed_out", Transport.TIMEOUT, Reported.ERROR)
_CANCELLED = Outcome("cancelled", Transport.CANCELLED, Reported.ABSENT)
_EXCEPTION = Outcome("exception", Transport.ERROR, Reported.ERROR)

_KNOWN: Mapping[type[BaseException], Outcome] = {
    ToolRetryError: _RETRY,
    ModelRetry: _RETRY,
    ToolFailedError: _FAILED,
    ToolFailed: _FAILED,
    ApprovalRequired: _DEFERRED,
    CallDeferred: _DEFERRED,
    SkipToolExecution: _SKIPPED,
    TimeoutError: _TIMED_OUT,
}


def outcome_of(error: BaseException) -> Outcome:
    """What an exception out of a tool's body says. Pydantic AI hides a timeout in a retry that it asks for itself; a
    synchronous tool goes on after one, and its effect may come later."""
    if not isinstance(error, Exception):
        return _CANCELLED
    found = next((outcome for kind, outcome in _KNOWN.items() if isinstance(error, kind)), _EXCEPTION)
    return _TIMED_OUT if found is _RETRY and _was_out_of_time(error) else found


def _was_out_of_time(error: BaseException) -> bool:
    cause = error.__cause__ if isinstance(error, ToolRetryError) else error
    return cause is not None and isinstance(cause.__context__, TimeoutError)
