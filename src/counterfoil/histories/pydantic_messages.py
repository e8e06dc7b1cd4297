"""A Pydantic AI message list as the audit sees it: who, where, which parts, by their ids; nothing that they say.

Read before any repair: `repair_messages`, which also runs before every request, drops results, makes some up and
merges messages without their ids, and with that goes the evidence. Only public names of Pydantic AI are used; what is
rested on beyond them is checked by `counterfoil history --self-check`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pydantic_ai.messages import (
    INTERRUPTED_TOOL_RETURN_CONTENT,
    SYNTHESIZED_TOOL_RETURN_METADATA_KEY,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    SystemPromptPart,
    ToolCallPart,
    ToolReturnPart,
)

from counterfoil.histories.contract import HistoryContract, prompt_digest
from counterfoil.histories.history import Message, Part
from counterfoil.reading.requests import Request

PROMPT_REVISION = "counterfoil.prompt.revision"
"""The key under which `SystemPromptPart.metadata` names the revision of a prompt."""

SKIPPED = "Tool not executed - a final result was already processed."
"""What a return says whose call never ran. Pydantic AI has no public name for it."""

NEVER_RAN = frozenset({"validation_error", "unknown_tool", "unavailable_tool"})
"""Causes of a retry that came before the tool's body."""

ReadRequest = Callable[[str, Mapping[str, Any]], Request]
"""What is kept of one request, by the tool's name and the arguments as the model sent them."""


@dataclass(frozen=True, slots=True)
class Source:
    """The framework's own part behind one of ours, the conversation that its message says it belongs to, and for a call
    the operation that the operator's settings find in its arguments."""

    part: ToolCallPart | ToolReturnPart
    conversation_id: str | None
    operation_id: str | None = None

    @property
    def metadata(self) -> Mapping[str, object]:
        """What the application put beside a result; a call has no such place."""
        said = getattr(self.part, "metadata", None)
        return said if isinstance(said, Mapping) else {}


@dataclass(slots=True)
class Told:
    """Messages without names of operations yet; ``sources`` by the identity of our part."""

    messages: list[Message] = field(default_factory=list)
    sources: dict[int, Source] = field(default_factory=dict)


def told(
    messages: Sequence[ModelMessage],
    contract: HistoryContract,
    read_request: ReadRequest,
    deferred: frozenset[str] = frozenset(),
    secret: bytes | None = None,
) -> Told:
    """What a list tells. ``deferred``: ids of calls that wait, if the store knows them.

    Only calls of the last response can wait: an id that was used before does not excuse an older call.
    """
    seen = Told()
    last = max((n for n, message in enumerate(messages) if isinstance(message, ModelResponse)), default=-1)
    for n, message in enumerate(messages):
        parts: list[Part] = []
        for source in message.parts:
            if isinstance(source, ToolCallPart):
                request = read_request(source.tool_name, source.args_as_dict())
                part = _call(source, request, n == last and _waits(source, contract, deferred))
                seen.sources[id(part)] = Source(source, message.conversation_id, request.operation_id)
            elif isinstance(source, ToolReturnPart):
                part = _result(source)
                seen.sources[id(part)] = Source(source, message.conversation_id)
            else:
                part = _part(source, contract, secret)
            parts.append(part)
        seen.messages.append(
            Message(
                kind=message.kind,
                state=message.state,
                conversation_id=message.conversation_id,
                run_id=message.run_id,
                instructions=isinstance(message, ModelRequest) and bool(message.instructions),
                parts=tuple(parts),
            )
        )
    return seen


def _call(source: ToolCallPart, request: Request, waits: bool) -> Part:
    return Part(
        part="tool-call",
        tool_call_id=source.tool_call_id,
        tool=source.tool_name,
        payload_hash=request.payload_hash,
        deferred=waits or None,
    )


def _waits(source: ToolCallPart, contract: HistoryContract, deferred: frozenset[str]) -> bool:
    wait = contract.waiting
    declared = wait is not None and (wait.calls is None or source.tool_call_id in wait.calls)
    return declared or source.tool_call_id in deferred


def _part(source: Any, contract: HistoryContract, secret: bytes | None) -> Part:
    if isinstance(source, SystemPromptPart):
        return _prompt(source, contract, secret)
    if isinstance(source, NativeToolCallPart | NativeToolReturnPart):
        return Part(part=source.part_kind, tool_call_id=source.tool_call_id, tool=source.tool_name, native=True)
    return _plain(source.part_kind)


@lru_cache(maxsize=64)
def _plain(kind: str) -> Part:
    """A part of which nothing but its kind matters. One object for all of a kind; the framework has a dozen kinds."""
    return Part(part=kind)


def _prompt(source: SystemPromptPart, contract: HistoryContract, secret: bytes | None) -> Part:
    """A prompt for one request only is not the one that the agent goes on with."""
    if source.scope != "conversation":
        return _plain("request-prompt")
    asked = contract.prompt_digest
    if asked is None:
        return _plain("system-prompt")
    revision = (source.metadata or {}).get(PROMPT_REVISION)
    if isinstance(revision, str) and not asked.startswith(("sha256:", "hmac-sha256:")):
        return Part(part="system-prompt", digest=revision)
    keyed = secret if asked.startswith("hmac-") else None
    return Part(part="system-prompt", digest=prompt_digest(source.content, keyed))


def _result(source: ToolReturnPart) -> Part:
    """A result that the framework made up is known by its metadata, or, where a user interface lost that, by its
    text."""
    metadata = source.metadata if isinstance(source.metadata, Mapping) else {}
    skipped = source.content == SKIPPED
    made_up = skipped or source.content == INTERRUPTED_TOOL_RETURN_CONTENT
    never_ran = skipped or source.outcome == "denied" or (source.retry is not None and source.retry.cause in NEVER_RAN)
    return Part(
        part="tool-return",
        tool_call_id=source.tool_call_id,
        tool=source.tool_name,
        outcome=source.outcome,
        executed=False if never_ran else None,
        placeholder=made_up,
        synthesized=bool(metadata.get(SYNTHESIZED_TOOL_RETURN_METADATA_KEY)),
    )
