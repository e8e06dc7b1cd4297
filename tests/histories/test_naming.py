"""Which operation a call is, and which receipts count for it."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage, RetryInfo, TextPart, ToolCallPart

from counterfoil.config import Config, Lookup, Place, ToolConfig, Volatile
from counterfoil.facts import Effect, Fact, Intent
from counterfoil.histories import pydantic_known
from counterfoil.histories.contract import HistoryContract
from counterfoil.histories.history import HistoryVerdict
from counterfoil.histories.pydantic_actors import KEY, TOOL
from counterfoil.histories.pydantic_audit import audit_history
from counterfoil.histories.pydantic_messages import SKIPPED, told
from counterfoil.ledger import open_ledger
from counterfoil.names import OPERATION_ID
from counterfoil.reading.hashing import payload_hash
from counterfoil.reading.requests import Request
from counterfoil.receipts import RECEIPT
from tests.histories.lists import (
    AT,
    CONFIG,
    CONVERSATION,
    TERMS,
    audited,
    call,
    findings,
    opening,
    operation_of,
    paid,
    proved,
    receipt,
    request,
    response,
    result,
)

REQUEST = payload_hash({"amount": 5}, KEY)
MISSING = ["missing_outcome_receipt"]


def with_result(*results: Any) -> list[ModelMessage]:
    return [opening(), response(*(call() for _ in results)), request(*results), response(TextPart("done"))]


def intent(name: str, **fields: Any) -> Intent:
    said = {"conversation_id": CONVERSATION, "tool_call_id": "call_1", "tool": TOOL, "payload_hash": REQUEST}
    return Intent(operation_id=name, observed_at=AT, **{**said, **fields})


def effect(name: str, **fields: Any) -> Effect:
    said = {"source": "probe", "effect_ref": "payment-1", "authoritative": True}
    return Effect(operation_id=name, observed_at=AT, **{**said, **fields})


def facts(*known: Fact) -> dict[str, list[Fact]]:
    by_operation: dict[str, list[Fact]] = {}
    for fact in known:
        by_operation.setdefault(fact.operation_id, []).append(fact)
    return by_operation


def test_a_call_without_a_receipt_is_not_proved_and_a_result_is_a_claim() -> None:
    assert findings(with_result(result())) == MISSING


def test_the_ledger_proves_a_derived_operation() -> None:
    assert findings(with_result(result()), ledger=facts(effect(operation_of()))) == []


def test_the_ledger_names_a_call_by_conversation_call_and_request() -> None:
    """An interrupted call has no result that could name its operation; the intent was written before it."""
    known = facts(intent("order-17"), effect("order-17"))
    assert findings(with_result(result()), ledger=known) == []
    assert findings([opening(), response(call())], ledger=known) == ["interrupted_tool"]


@pytest.mark.parametrize(
    "other", [{"conversation_id": "conversation-2"}, {"tool_call_id": "call_2"}, {"tool": "refund"}]
)
def test_the_intent_of_another_call_names_nothing(other: dict[str, str]) -> None:
    known = facts(intent("order-17", **other), effect("order-17"))
    assert "missing_outcome_receipt" in findings(with_result(result()), ledger=known)


def test_the_intent_of_another_request_names_nothing() -> None:
    known = facts(intent("order-17", payload_hash=payload_hash({"amount": 6}, KEY)), effect("order-17"))
    assert findings(with_result(result()), ledger=known) == MISSING


def test_two_intents_that_fit_one_call_name_nothing() -> None:
    """A call id that is used again, for the same request: the ledger can't tell which of the two this is."""
    known = facts(intent("order-17"), effect("order-17"), intent("order-18"), effect("order-18"))
    assert findings(with_result(result()), ledger=known) == MISSING
    declared = result(metadata={OPERATION_ID: "order-18"})
    audit = audited(with_result(declared), ledger=known)
    assert audit.judgement.failures[HistoryVerdict.MISSING_OUTCOME_RECEIPT] == ("order-17",)


def test_a_result_may_declare_its_operation() -> None:
    declared = result(metadata={OPERATION_ID: "order-17"})
    assert findings(with_result(declared), ledger=facts(effect("order-17"))) == []


def test_a_declared_operation_of_another_conversation_is_not_believed() -> None:
    declared = result(metadata={OPERATION_ID: "order-17"})
    known = facts(intent("order-17", conversation_id="conversation-2"), effect("order-17"))
    assert findings(with_result(declared), ledger=known) == MISSING


def test_an_effect_for_another_payload_is_no_receipt() -> None:
    other = effect(operation_of(), payload_hash=payload_hash({"amount": 6}, KEY))
    assert findings(with_result(result()), ledger=facts(other)) == MISSING


def test_a_claim_in_the_ledger_is_no_receipt() -> None:
    assert findings(with_result(result()), ledger=facts(effect(operation_of(), authoritative=False))) == MISSING


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (receipt("call_2"), "for another operation"),
        (receipt(payload_hash=payload_hash({"amount": 6}, KEY) or ""), "for another payload"),
        ({**receipt(), "effect_ref": "payment-2"}, "forged, or signed with another key"),
        ({**receipt(), "signature": ""}, "unsigned"),
        ("payment-1", "unreadable"),
    ],
)
def test_a_receipt_that_is_not_this_calls_proves_nothing(record: object, why: str) -> None:
    audit = audited(with_result(result(metadata={RECEIPT: record})))
    assert [finding.value for finding in audit.findings] == MISSING
    assert [note.what for note in audit.notes] == [f"its receipt is {why}"]
    assert audit.receipts == 0


def test_a_receipt_may_name_the_request_without_a_key() -> None:
    """A server that hashes plainly and signs is as good: only the holder of the key could sign."""
    plain = receipt(payload_hash=payload_hash({"amount": 5}) or "")
    assert findings(with_result(result(metadata={RECEIPT: plain}))) == []


def test_without_a_key_no_receipt_is_believed() -> None:
    audit = audit_history(paid(), contract=TERMS, config=type(CONFIG)())
    assert not audit.ready
    assert [note.what for note in audit.notes] == ["its receipt is signed, and there is no key to check it with"]


def test_two_calls_under_one_id_are_paired_in_order() -> None:
    mixed = [opening(), response(call(amount=5), call(amount=6)), request(proved(amount=5), result())]
    assert findings(mixed) == MISSING, "the second asked for something else"


def test_one_receipt_does_not_prove_two_calls_that_share_a_derived_name() -> None:
    """The same payment twice on purpose, by a model that reuses its call ids."""
    first, second = (result(metadata={RECEIPT: receipt(effect_ref=ref)}) for ref in ("payment-1", "payment-2"))
    assert findings(with_result(first, second)) == []
    audit = audited(with_result(first, result()))
    assert [finding.value for finding in audit.findings] == MISSING
    assert [note.what for note in audit.notes] == [
        "has the id and the request of another call, and no effect of its own"
    ]
    assert findings(with_result(first, first)) == MISSING, "a copied receipt is one receipt"
    assert findings(with_result(first, result()), ledger=facts(effect(operation_of(), effect_ref="payment-2"))) == []


def test_calls_that_declare_one_operation_are_one_operation() -> None:
    declared = result(metadata={OPERATION_ID: "order-17"})
    assert findings(with_result(declared, declared), ledger=facts(effect("order-17"))) == []


def test_an_operation_that_the_list_no_longer_mentions_is_missed() -> None:
    lost = facts(intent("order-17"), effect("order-17"))
    assert findings([opening(), response(TextPart("done"))], ledger=lost) == MISSING
    assert findings([opening()], ledger=facts(intent("order-17", conversation_id="conversation-2"))) == []
    assert findings([opening()], ledger=facts(intent("order-17", side_effect=False))) == []
    assert findings([opening()], ledger_operations=["order-17"]) == MISSING


def test_a_call_of_any_tool_mentions_its_operation() -> None:
    """Whether a tool has a side effect is the contract's to say; the ledger may hold operations of the others too."""
    known = facts(intent(operation_of(), tool_call_id=None))
    assert findings(with_result(result()), ledger=known, side_effect_tools=[]) == []
    assert findings([opening()], ledger=known, side_effect_tools=[]) == MISSING


def test_a_real_ledger_answers_like_a_mapping(tmp_path: Any) -> None:
    ledger = open_ledger(f"sqlite:///{tmp_path}/ledger.sqlite")
    try:
        ledger.add([intent("order-17"), effect("order-17"), effect(operation_of("call_2"))], due=AT)
        assert findings(with_result(result()), ledger=ledger) == []
        assert findings([opening(), response(call("call_2")), request(result("call_2"))], ledger=ledger) == MISSING, (
            "its call is proved, and order-17 is gone from the list"
        )
        assert findings([opening()], ledger=ledger) == MISSING
    finally:
        ledger.close()


def test_volatile_fields_are_no_part_of_a_request() -> None:
    """The settings say so, for the ledger and for the audit alike."""
    sent = ToolCallPart(TOOL, {"amount": 5, "sent_at": "12:00"}, tool_call_id="call_1")
    messages = [opening(), response(sent), request(proved())]
    volatile = {TOOL: ToolConfig(volatile=(Volatile.parse("sent_at"),))}
    assert not audit_history(messages, contract=TERMS, config=CONFIG).ready
    assert audit_history(messages, contract=TERMS, config=replace(CONFIG, tools=volatile)).ready


def test_a_ledger_too_large_to_look_through_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pydantic_known, "_PAGE", 1)
    monkeypatch.setattr(pydantic_known, "MAX_SCANNED", 2)
    ledger = open_ledger("memory:")
    ledger.add([intent("order-17"), effect("order-18")], due=AT)
    assert audited(paid(), ledger=ledger).notes == ()
    ledger.add([intent("order-19")], due=AT)
    audit = audited(paid(), ledger=ledger)
    assert [note.what[:30] for note in audit.notes] == ["the ledger has more operations"]
    assert audit.judgement.failures[HistoryVerdict.MISSING_OUTCOME_RECEIPT] == ("order-17",)


def test_the_operator_may_say_where_the_arguments_name_the_operation() -> None:
    """As on spans: the same settings give a call the same name in the ledger and in the list."""
    order = Config(tools={TOOL: ToolConfig(operation_id=Lookup.parse("order", Place.ARGUMENTS))})
    sent = ToolCallPart(TOOL, {"order": "order-17"}, tool_call_id="call_1")
    messages = [opening(), response(sent), request(result())]
    for ledger in (facts(effect("order-17")), open_ledger("memory:")):
        if not isinstance(ledger, dict):
            ledger.add([effect("order-17")], due=AT)
        assert audit_history(messages, contract=TERMS, ledger=ledger, config=order).ready
        assert not audit_history(messages, contract=TERMS, ledger=ledger, config=Config()).ready


def test_a_denied_call_has_nothing_to_prove() -> None:
    assert findings(with_result(result(outcome="denied"))) == []


def test_a_call_that_never_ran_is_told_from_one_that_was_cut_off() -> None:
    stub = result()
    stub.content = SKIPPED
    never_ran = [
        stub,
        result(outcome="retried", retry=RetryInfo(cause="validation_error")),
        result(outcome="retried", retry=RetryInfo(cause="unknown_tool")),
        result(outcome="denied"),
    ]
    ran = [result(), result(outcome="retried", retry=RetryInfo(cause="model_retry")), result(outcome="failed")]
    seen = told([request(*never_ran, *ran)], HistoryContract(), lambda tool, arguments: Request())
    assert [part.executed for part in seen.messages[0].parts] == [False] * 4 + [None] * 3
    assert not any(part.is_interrupted for part in seen.messages[0].parts)
    assert findings(with_result(stub)) == MISSING


def test_a_made_up_result_is_known_by_its_text_where_its_metadata_was_lost() -> None:
    made_up = result()
    made_up.content = "The tool call was interrupted before a result was produced."
    assert findings(with_result(made_up)) == ["interrupted_tool", *MISSING]
