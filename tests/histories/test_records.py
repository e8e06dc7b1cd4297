"""Records of message lists, beside the facts that are known: what stands in the way of a replay."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from counterfoil.auditing.replays import history_judgements
from counterfoil.histories.history import HistoryVerdict
from tests.cases.case import audited, intake_of

AT = "2026-01-01T00:00:00Z"
PAYLOAD = "sha256:" + "0123456789abcdef" * 4
CALL = {"part": "tool-call", "tool_call_id": "c1", "tool": "pay", "payload_hash": PAYLOAD, "operation_id": "op-1"}
RESULT = {"part": "tool-return", "tool_call_id": "c1", "tool": "pay", "operation_id": "op-1", "outcome": "success"}
RECEIPT = {
    "kind": "effect",
    "operation_id": "op-1",
    "source": "provider_receipt",
    "effect_ref": "pay_1",
    "authoritative": True,
    "matches_payload_hash": PAYLOAD,
    "observed_at": AT,
}
COUNTED = RECEIPT | {"source": "probe", "effect_ref": None}

A_RECEIPT = (
    "A receipt is an authoritative effect fact for the call's operation whose hash doesn't contradict the call's."
)
PLACEHOLDER = "An interrupted or synthesized placeholder fails `interrupted_tool` as well."
STUB = "A stub of a call that never ran (`executed: false`) only misses its receipt."
MADE_UP = {"placeholder": True, "effect_ref": None}


@dataclass(frozen=True)
class Told:
    """The result of the one call in the list, a fact beside it, and all gates that fail."""

    title: str
    says: str
    result: dict[str, Any]
    fact: dict[str, Any] | None
    findings: str = ""


STORIES = [
    Told("The provider gave a receipt", A_RECEIPT, {}, RECEIPT),
    Told("A count found one, whatever its name is", A_RECEIPT, {}, COUNTED | {"count": 1}),
    Told("A count found none", A_RECEIPT, {}, COUNTED | {"count": 0}, "missing_outcome_receipt"),
    Told(
        "A count that may not be believed found one",
        A_RECEIPT,
        {},
        COUNTED | {"count": 1, "authoritative": False},
        "missing_outcome_receipt",
    ),
    Told(
        "A count found one of another request",
        A_RECEIPT,
        {},
        COUNTED | {"count": 1, "matches_payload_hash": "sha256:" + "0" * 64},
        "missing_outcome_receipt",
    ),
    Told(
        "The receipt names the request in capitals", A_RECEIPT, {}, RECEIPT | {"matches_payload_hash": PAYLOAD.upper()}
    ),
    Told("The call was cut off", PLACEHOLDER, {"outcome": "interrupted"}, RECEIPT, "interrupted_tool"),
    Told(
        "The call was cut off, and a repair says so in its place",
        PLACEHOLDER,
        {"outcome": "interrupted", **MADE_UP},
        None,
        "interrupted_tool missing_outcome_receipt",
    ),
    Told(
        "The call was cut off before it ran",
        PLACEHOLDER,
        {"outcome": "interrupted", "executed": False, **MADE_UP},
        None,
        "interrupted_tool missing_outcome_receipt",
    ),
    Told("Its result was made up", PLACEHOLDER, {"outcome": "synthesized"}, RECEIPT, "interrupted_tool"),
    Told(
        "It never ran, and its stub says success", STUB, {"executed": False, **MADE_UP}, None, "missing_outcome_receipt"
    ),
]


def history_of(*parts: dict[str, Any], **said: object) -> dict[str, Any]:
    return {
        "kind": "history",
        "history_id": "h-1",
        "provenance": "server_store",
        "expects_system_prompt": True,
        "side_effect_tools": ["pay"],
        "messages": [{"kind": "request", "parts": [part]} for part in parts],
        **said,
    }


@pytest.mark.parametrize("told", STORIES, ids=[told.title for told in STORIES])
def test_a_list(told: Told) -> None:
    history = history_of({"part": "system-prompt"}, CALL, RESULT | told.result)
    records = [history] if told.fact is None else [history, told.fact]
    said = audited(json.dumps(record).encode() for record in records)["h-1"]
    findings = told.findings.split()
    assert (said.verdict, list(said.findings)) == (findings[0] if findings else "ready", findings)


def test_a_provenance_that_nobody_knows_is_not_repeated() -> None:
    history = history_of({"part": "system-prompt"}, provenance="whatever a stranger writes")
    (judged,) = history_judgements(intake_of([json.dumps(history).encode()]))
    assert judged.failures == {HistoryVerdict.UNTRUSTED_HISTORY: ("provenance is unknown",)}
