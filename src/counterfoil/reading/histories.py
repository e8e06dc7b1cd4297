"""Records of message lists (``kind: history``). What can't be read is not used: a half-read list can't be ready."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from counterfoil.histories.history import History, Message, Part
from counterfoil.reading.evidence import Record, Unusable
from counterfoil.reading.values import flag, payload_hash, text, time

MAX_PARTS = 100_000
"""The largest number of parts of one list that is read."""

_TEXTS = "provenance owner caller authorization_context replay_context conversation_id run_id forked_from prompt_digest"
_PART_TEXTS = "tool_call_id tool operation_id outcome effect_ref digest"
_PART_FLAGS = "deferred executed placeholder synthesized native"


def history_from(record: Record) -> History:
    """The message list that a record states. Raises `Unusable`."""
    try:
        name = text(record.get("history_id"))
        messages = record.get("messages")
        if name is None or not isinstance(messages, list):
            raise ValueError("history_id or messages is missing")
        if sum(len(_list(message, "parts")) for message in messages) > MAX_PARTS:
            raise ValueError(f"more than {MAX_PARTS} parts")
        counts = flag(record.get("instructions_count"))
        return History(
            history_id=name,
            messages=tuple(_message(message) for message in messages),
            observed_at=_time(record, "observed_at"),
            expects_system_prompt=flag(record.get("expects_system_prompt")),
            instructions_count=True if counts is None else counts,
            merged_from=_names(record, "merged_from"),
            side_effect_tools=_names(record, "side_effect_tools"),
            ledger_operations=_names(record, "ledger_operations"),
            wait_expires_at=_time(record, "wait_expires_at"),
            progress_until=_time(record, "progress_until"),
            **{field: text(record.get(field)) for field in _TEXTS.split()},
        )
    except (ValueError, TypeError, AttributeError) as wrong:
        raise Unusable(f"history: {wrong}") from None


def _message(record: Mapping[str, object]) -> Message:
    return Message(
        kind=text(record.get("kind")) or "",
        state=text(record.get("state")),
        conversation_id=text(record.get("conversation_id")),
        run_id=text(record.get("run_id")),
        instructions=bool(record.get("instructions")),
        parts=tuple(_part(part) for part in _list(record, "parts")),
    )


def _part(record: Mapping[str, object]) -> Part:
    said: dict[str, Any] = {field: text(record.get(field)) for field in _PART_TEXTS.split()}
    said |= {field: flag(record.get(field)) for field in _PART_FLAGS.split()}
    hashed = payload_hash(record.get("payload_hash"))
    return Part(part=text(record.get("part")) or "", payload_hash=hashed, **said)


def _list(record: object, name: str) -> list[Mapping[str, object]]:
    if not isinstance(record, Mapping):
        raise ValueError("a message is not an object")
    values = record.get(name) or []
    if not isinstance(values, list) or not all(isinstance(value, Mapping) for value in values):
        raise ValueError(f"{name} is not a list of objects")
    return values


def _names(record: Record, name: str) -> frozenset[str]:
    values = record.get(name) or []
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ValueError(f"{name} is not a list of names")
    return frozenset(named for value in values if (named := text(value)) is not None)


def _time(record: Record, name: str) -> int | None:
    return time(record[name]) if record.get(name) is not None else None
