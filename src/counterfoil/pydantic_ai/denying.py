"""Calls that were not allowed. No hook sees one and no span shows it: only the next request tells the model of it."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart


def denied_calls(messages: list[ModelMessage]) -> Iterator[ToolCallPart]:
    """The calls that the newest request says were denied."""
    newest = messages[-1] if messages else None
    if not isinstance(newest, ModelRequest):
        return
    denied = {
        part.tool_call_id for part in newest.parts if isinstance(part, ToolReturnPart) and part.outcome == "denied"
    }
    if not denied:
        return
    for message in reversed(messages):
        if isinstance(message, ModelResponse):
            for part in message.parts:
                if isinstance(part, ToolCallPart) and part.tool_call_id in denied:
                    denied.discard(part.tool_call_id)
                    yield part
        if not denied:
            return
