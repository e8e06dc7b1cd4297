"""What an advisor says of a doubt, as a note for the person who decides about it. It is never evidence.

The advisor is told the tool's name and the guard's own sentence of what is known, in which an effect's reference may
stand: no arguments, no result, no history. What it answers goes into the metadata of the deferred approval; we put it
into no span, log, fact or ledger. Pydantic AI's own span of the call holds that metadata where its content is on.
"""

from __future__ import annotations

from typing import Any

import anyio
from opentelemetry.trace import Span
from pydantic_ai import Agent
from pydantic_ai.models import Model
from pydantic_ai.tools import RunContext
from pydantic_ai.usage import UsageLimits

from counterfoil import names
from counterfoil.pydantic_ai.consulting import model_words
from counterfoil.reading.consults import ADVISOR, Result

TIMEOUT_S = 30.0
"""How long the advisor may take, in seconds. After that there is no note."""

MAX_NOTE = 2_000
"""The longest note, in characters."""

_INSTRUCTIONS = (
    "You advise a person who must decide whether an agent may carry out a call again. You can't see what the target "
    "system holds. Say in a few sentences what to check before deciding. Never claim that it was done, or wasn't."
)


async def note_on(ctx: RunContext[Any], model: Model | str, words: str, span: Span) -> str | None:
    """The advisor's answer; None where it has none. Never raises."""
    result, note = Result.FAILED, None
    try:
        with anyio.move_on_after(TIMEOUT_S):
            advisor = Agent(model, name=ADVISOR, instructions=_INSTRUCTIONS)
            limits = UsageLimits(request_limit=2)
            run = await advisor.run(words, conversation_id=ctx.conversation_id, usage_limits=limits)
            ctx.usage.incr(run.usage)
            result, note = Result.ANSWERED, run.output[:MAX_NOTE]
    except Exception:
        result = Result.FAILED
    span.set_attributes({names.CONSULT_MODE: "local", names.CONSULT_RESULT: str(result)})
    span.set_attributes({names.CONSULT_HISTORY: False, **model_words(model)})
    return note
