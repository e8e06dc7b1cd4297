"""What Pydantic AI is about to do to a message list in silence, before it sends it. Nothing is repaired here."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolReturnPart, repair_messages

from counterfoil.histories.gates import call_name
from counterfoil.histories.history import Part
from counterfoil.histories.report import Repair, RepairKind


def repairs_of(messages: Sequence[ModelMessage], *, has_prompt: bool) -> tuple[Repair, ...]:
    """The repairs of a run that resumes from this list. ``has_prompt``: with a new prompt.

    A part is followed by its identity, which a repair keeps. Calls of the last response are left open, unless the list
    says that it was interrupted there. May raise what `repair_messages` raises.
    """
    after = repair_messages(messages, repair_last_response=_closes_the_end(messages, has_prompt))
    home = {id(part): number for number, message in enumerate(messages) for part in message.parts}
    kept = {id(part) for message in after for part in message.parts}
    dropped = [part for message in messages for part in message.parts if id(part) not in kept]
    made_up = [part for message in after for part in message.parts if id(part) not in home]
    origins = ({home[id(part)] for part in message.parts if id(part) in home} for message in after)
    merged = sum(max(0, len(numbers) - 1) for numbers in origins)
    found = (
        Repair(RepairKind.DROPPED_RESULT, len(dropped), _calls(dropped)),
        Repair(RepairKind.CLOSED_CALL, len(made_up), _calls(made_up)),
        Repair(RepairKind.MERGED_MESSAGES, merged),
    )
    return tuple(repair for repair in found if repair.number)


def _closes_the_end(messages: Sequence[ModelMessage], has_prompt: bool) -> bool:
    last = messages[-1] if messages else None
    if isinstance(last, ModelRequest):
        return last.state == "interrupted"
    return has_prompt and isinstance(last, ModelResponse) and last.state == "interrupted"


def _calls(parts: Sequence[object]) -> tuple[str, ...]:
    ids = (part.tool_call_id for part in parts if isinstance(part, ToolReturnPart))
    return tuple(call_name(Part(part="tool-return", tool_call_id=one)) for one in ids)
