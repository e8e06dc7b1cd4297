"""Stored message lists: from memory, from JSON, from a file, from a harness step store.

Whatever can't be read as a whole is `UnreadableHistory`, in words that hold nothing of it: half a list can't be ready.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import rfc8785
from pydantic import ValidationError
from pydantic_ai.conversation import Conversation, ConversationTypeAdapter
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter
from pydantic_core import PydanticSerializationError, from_json, to_json

from counterfoil.reading.hashing import payload_hash

MAX_BYTES = 32 * 2**20
"""The largest JSON that is read, in bytes: past it nothing is read at all."""

MAX_MESSAGES = 100_000
"""The longest list that is audited."""


class UnreadableHistory(ValueError):
    """The list can't be read, so nothing is known about it. What it held is not in the message."""


@runtime_checkable
class StepStore(Protocol):
    """What is asked of a step store: the harness's own, or one like it."""

    async def list_runs(self, *, parent_run_id: str | None = None, conversation_id: str | None = None) -> list[Any]: ...

    async def latest_snapshot(self, *, run_id: str, include_interrupted: bool = False) -> Any: ...


Stored = Sequence[ModelMessage] | Conversation | bytes | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A list as it is after it was stored and read back. ``rewritten``: that changed it, as it does with parts of an
    older version. ``deferred``: ids of calls that the store knows to wait."""

    messages: list[ModelMessage]
    conversation_id: str | None = None
    deferred: frozenset[str] = frozenset()
    rewritten: bool = False


def loaded(stored: Stored) -> Loaded:
    """Read a list, store it, and read it back: that is the one which a replay would see.

    Whether it is the same is asked of its canonical JSON (RFC 8785). Raises `UnreadableHistory`; TypeError for what is
    no list at all.
    """
    given: object = stored
    if isinstance(given, os.PathLike):
        given = _content(Path(given))
    if isinstance(given, bytes | bytearray):
        return _parsed(bytes(given))
    if isinstance(given, Conversation):
        return _conversation(given)
    if isinstance(given, Sequence) and not isinstance(given, str):
        return _settled(given)
    raise TypeError(
        "give a list of messages, a Conversation, JSON as bytes, a file as pathlib.Path, or a step store, "
        f"not {type(given).__name__}"
    )


async def stored_messages(store: StepStore, *, run_id: str | None = None, conversation_id: str | None = None) -> Loaded:
    """The newest snapshot of a run, or of a conversation's last run that has one, whether its tools had ended or not.

    Raises `UnreadableHistory` where there is none; TypeError if neither is named.
    """
    if run_id is None and conversation_id is None:
        raise TypeError("a step store holds many lists: name the run, or the conversation in the contract")
    runs = [run_id] if run_id is not None else await _runs(store, conversation_id)
    for run in runs:
        snapshot = await store.latest_snapshot(run_id=run, include_interrupted=True)
        if snapshot is not None:
            return _settled(snapshot.messages)
    raise UnreadableHistory("the step store has no snapshot of it")


async def _runs(store: StepStore, conversation_id: str | None) -> list[str]:
    """A store lists runs oldest first."""
    return [run.run_id for run in reversed(await store.list_runs(conversation_id=conversation_id))]


def digest(messages: Sequence[ModelMessage], secret: bytes | None = None) -> str | None:
    """The hash of a list's canonical JSON, to compare what was audited with what is replayed."""
    return payload_hash(from_json(_dumped(messages)), secret)


def _conversation(conversation: Conversation) -> Loaded:
    pending = conversation.deferred_tool_requests
    waiting = [*pending.calls, *pending.approvals] if pending is not None else []
    return replace(
        _settled(conversation.messages),
        conversation_id=conversation.conversation_id,
        deferred=frozenset(call.tool_call_id for call in waiting),
    )


def _settled(messages: Sequence[ModelMessage], stored: bytes | None = None) -> Loaded:
    """The list as it comes back from storage. ``stored``: what it was read from, if it was."""
    if len(messages) > MAX_MESSAGES:
        raise UnreadableHistory(f"more than {MAX_MESSAGES} messages")
    dumped = _dumped(messages)
    if dumped == stored:
        return Loaded(list(messages))
    back = _validated(dumped)
    same = _equal(back, messages) or _same(dumped, _dumped(back))  # to compare is quicker than to store it again
    return Loaded(back, rewritten=not same)


def _dumped(messages: Sequence[ModelMessage]) -> bytes:
    """Without warnings: those quote the values that they complain about."""
    try:
        return ModelMessagesTypeAdapter.dump_json(list(messages), warnings="none")
    except (PydanticSerializationError, ValueError, TypeError, AttributeError, RecursionError):
        raise UnreadableHistory("ModelMessagesTypeAdapter can't store it") from None


def _validated(json: bytes) -> list[ModelMessage]:
    try:
        return ModelMessagesTypeAdapter.validate_json(json)
    except ValidationError as wrong:
        raise UnreadableHistory(_complaint(wrong)) from None
    except (ValueError, TypeError, RecursionError):
        raise UnreadableHistory("it is no list of Pydantic AI messages") from None


def _complaint(wrong: ValidationError) -> str:
    """Where and what, by Pydantic's own word for the kind of error; the place only down to the message."""
    error = wrong.errors(include_url=False, include_context=False, include_input=False)[0]
    where = next((f"message {place}: " for place in error["loc"][:1] if isinstance(place, int)), "")
    more = f", and {wrong.error_count() - 1} more" if wrong.error_count() > 1 else ""
    return f"it is no list of Pydantic AI messages ({where}{error['type']}{more})"


def _equal(back: list[ModelMessage], messages: Sequence[ModelMessage]) -> bool:
    """Content may be anything, and compare as it likes."""
    try:
        return back == list(messages)
    except Exception:
        return False


def _same(a: bytes, b: bytes) -> bool:
    try:
        return a == b or rfc8785.dumps(from_json(a)) == rfc8785.dumps(from_json(b))
    except (ValueError, TypeError, RecursionError):
        return False


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as wrong:
        raise UnreadableHistory(f"the file can't be read: {wrong.strerror or type(wrong).__name__}") from None


def _parsed(content: bytes) -> Loaded:
    """A list, a `Conversation`, or a step store's snapshot file."""
    if len(content) > MAX_BYTES:
        raise UnreadableHistory(f"it is larger than {MAX_BYTES // 2**20} MiB")
    if not content.lstrip().startswith(b"{"):
        return _settled(_validated(content), content)
    try:
        record = from_json(content)
    except ValueError:
        raise UnreadableHistory("it is no JSON, or nested too deeply") from None
    if not isinstance(record, dict) or not isinstance(record.get("messages"), list):
        raise UnreadableHistory('it is neither a list of messages nor an object with "messages"')
    if "usage" not in record:
        return _settled(_validated(to_json(record["messages"])))
    try:
        return _conversation(ConversationTypeAdapter.validate_json(content))
    except (ValidationError, ValueError, RecursionError):
        raise UnreadableHistory("it is no Pydantic AI conversation") from None
