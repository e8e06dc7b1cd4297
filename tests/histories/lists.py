"""Message lists for tests: real runs, and lists built by hand where a run can't get there."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from counterfoil.config import Config
from counterfoil.histories.pydantic_actors import KEY, TOOL
from counterfoil.histories.pydantic_audit import audit_history
from counterfoil.histories.report import HistoryAudit
from counterfoil.reading.hashing import payload_hash
from counterfoil.reading.identity import derived_operation_id
from counterfoil.receipts import RECEIPT, Receipt, sign

CONVERSATION = "conversation-1"
CONFIG = Config(hash_key=KEY)
TERMS: dict[str, object] = {
    "provenance": "server_store",
    "conversation_id": CONVERSATION,
    "expects_system_prompt": True,
    "side_effect_tools": [TOOL],
}
AT = 1_700_000_000 * 10**9

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(coroutine)


def audited(messages: Any, *, ledger: Any = None, now: int | None = None, **terms: object) -> HistoryAudit:
    said = {key: value for key, value in {**TERMS, **terms}.items() if value is not None}
    return audit_history(messages, contract=said, ledger=ledger, config=CONFIG, now=now)


def findings(messages: Any, *, ledger: Any = None, **terms: object) -> list[str]:
    return [finding.value for finding in audited(messages, ledger=ledger, **terms).findings]


def dumped(messages: Sequence[ModelMessage]) -> bytes:
    return ModelMessagesTypeAdapter.dump_json(list(messages))


def opening() -> ModelRequest:
    return request(SystemPromptPart("You pay."), UserPromptPart("pay"))


def request(*parts: Any, **fields: Any) -> ModelRequest:
    return ModelRequest(parts=list(parts), **{"conversation_id": CONVERSATION, "run_id": "run-1", **fields})


def response(*parts: Any, **fields: Any) -> ModelResponse:
    return ModelResponse(parts=list(parts), **{"conversation_id": CONVERSATION, "run_id": "run-1", **fields})


def call(name: str = "call_1", amount: int = 5) -> ToolCallPart:
    return ToolCallPart(TOOL, {"amount": amount}, tool_call_id=name)


def result(name: str = "call_1", **fields: Any) -> ToolReturnPart:
    return ToolReturnPart(TOOL, "paid", tool_call_id=name, **fields)


def operation_of(name: str = "call_1", amount: int = 5, conversation: str = CONVERSATION) -> str:
    named = derived_operation_id(conversation, name, payload_hash({"amount": amount}, KEY))
    assert named is not None
    return named


def receipt(name: str = "call_1", amount: int = 5, **fields: str) -> dict[str, str]:
    """The receipt that a server signs for this call, or for what ``fields`` say instead."""
    said = {
        "operation_id": operation_of(name, amount),
        "payload_hash": payload_hash({"amount": amount}, KEY) or "",
        "effect_ref": f"payment-{name}",
        **fields,
    }
    return sign(Receipt(**said), KEY)


def proved(name: str = "call_1", amount: int = 5) -> ToolReturnPart:
    return result(name, metadata={RECEIPT: receipt(name, amount)})


def paid() -> list[ModelMessage]:
    """A healthy list."""
    return [opening(), response(call()), request(proved()), response(TextPart("done"))]
