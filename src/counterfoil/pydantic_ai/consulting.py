"""Telling an advisor's consultation from a tool that does something: whoever asks for advice changes nothing.

A local consultation is a tool named ``advisor`` of the harness's `Advisor`; a native one has no tool's span at all. One
past ``max_uses``, and one whose answer is invalid, are consultations as well.
"""

from __future__ import annotations

from pydantic_ai.tools import ToolDefinition

ADVISOR = "advisor"


def is_consultation(tool_def: ToolDefinition) -> bool:
    """By the capability that the tool comes from. A tool of the user's that is merely named so is none."""
    return getattr(tool_def, "capability_id", None) == ADVISOR and tool_def.name == ADVISOR
