"""Telling an advisor's consultation from a tool that does something: whoever asks for advice changes nothing.

A local consultation is a tool named ``advisor`` of the harness's `Advisor`; a native one has no tool's span at all. One
past ``max_uses``, and one whose answer is invalid, are consultations as well. Whether advice was taken is read from the
messages of the run, so that a replay and a process that took over say the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from opentelemetry.util.types import AttributeValue
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    NativeToolReturnPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.tools import RunContext, ToolDefinition

from counterfoil import names
from counterfoil.facts import ADVISED, UNADVISED
from counterfoil.pydantic_ai.outcomes import Outcome
from counterfoil.reading.consults import ADVISOR, LIMIT, Result

_ENDED: Mapping[str, Result] = {"success": Result.ANSWERED, "retry_asked": Result.INVALID}


def is_consultation(tool_def: ToolDefinition) -> bool:
    """By the capability that the tool comes from. A tool of the user's that is merely named so is none."""
    return getattr(tool_def, "capability_id", None) == ADVISOR and tool_def.name == ADVISOR


def advice_on(ctx: RunContext[Any]) -> str:
    """Whether an advisor answered in this run, after the user's last word. One that is still open has not."""
    local = ADVISOR in ctx.capabilities
    return ADVISED if any(_is_answer(part, local) for part in _since_the_user(ctx)) else UNADVISED


def result_of(outcome: Outcome, value: object, *, is_again: bool) -> Result:
    """How a consultation ended. One that was made before, by this run or by one that it recovers, is a replay: what it
    costs is paid again."""
    if outcome.word == "success" and isinstance(value, str) and value.startswith(LIMIT):
        return Result.EXHAUSTED
    ended = _ENDED.get(outcome.word, Result.FAILED)
    return Result.REPLAYED if is_again and ended is Result.ANSWERED else ended


def routed(ctx: RunContext[Any]) -> dict[str, AttributeValue]:
    """Which provider and model receive the prompt of a local consultation, and whether the history goes with it."""
    advisor = ctx.capabilities.get(ADVISOR)
    said: dict[str, AttributeValue] = {names.CONSULT_MODE: "local", **model_words(getattr(advisor, "model", None))}
    forwarded = getattr(advisor, "forward_history", None)
    return said | ({names.CONSULT_HISTORY: forwarded} if isinstance(forwarded, bool) else {})


def model_words(chosen: object) -> dict[str, AttributeValue]:
    """Provider and model, where the choice of one says so: a name with its provider, or a model itself."""
    if isinstance(chosen, str):
        named: tuple[object, ...] = tuple(chosen.split(":", 1)) if ":" in chosen else ("", chosen)
    else:
        named = getattr(chosen, "system", None), getattr(chosen, "model_name", None)
    said = dict(zip((names.CONSULT_PROVIDER, names.CONSULT_MODEL), named, strict=True))
    return {name: value for name, value in said.items() if isinstance(value, str) and value}


def _since_the_user(ctx: RunContext[Any]) -> Iterator[object]:
    """The parts of this run's messages after the user's last word, the newest first."""
    for message in reversed(ctx.messages):
        if _is_another_run_s(message, ctx.run_id):
            return
        for part in reversed(message.parts):
            if isinstance(part, UserPromptPart):
                return
            yield part


def _is_another_run_s(message: ModelMessage, run_id: str | None) -> bool:
    """A request without an id was merged out of several: its parts are looked at, as far as the user's last word."""
    return message.run_id != run_id and not (message.run_id is None and isinstance(message, ModelRequest))


def _is_answer(part: object, local: bool) -> bool:
    if not isinstance(part, NativeToolReturnPart | ToolReturnPart) or part.tool_name != ADVISOR:
        return False
    if isinstance(part, ToolReturnPart) and not local:
        return False  # a tool of the user's that is merely named so
    exhausted = isinstance(part.content, str) and part.content.startswith(LIMIT)
    return part.outcome == "success" and not exhausted
