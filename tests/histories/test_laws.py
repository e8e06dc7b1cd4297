"""Laws of the audit: what may be added, taken away or reordered, and what it may do to the verdict."""

from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic_ai.conversation import Conversation
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    SystemPromptPart,
    TextPart,
    ToolReturnPart,
    UserPromptPart,
    repair_messages,
)

from counterfoil.facts import Effect, Fact, Intent
from counterfoil.histories.history import HistoryVerdict
from counterfoil.histories.pydantic_actors import KEY, TOOL
from counterfoil.reading.hashing import payload_hash
from counterfoil.receipts import RECEIPT
from tests.histories.lists import (
    AT,
    CONVERSATION,
    audited,
    call,
    dumped,
    findings,
    operation_of,
    proved,
    receipt,
    request,
    response,
    result,
)

laws = settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])

ORDER = list(HistoryVerdict)

NAMES, AMOUNTS = ("call_1", "call_2"), (5, 6)
names, amounts = st.sampled_from(NAMES), st.sampled_from(AMOUNTS)
conversations = st.sampled_from((CONVERSATION,) * 12 + (None, "conversation-2"))


def results(name: str, amount: int) -> st.SearchStrategy[list[Any]]:
    return st.sampled_from(
        [
            *[[proved(name, amount)]] * 12,
            [],
            [result(name)],
            [proved(name, 6)],
            [result(name, outcome="interrupted")],
            [result(name, outcome="retried")],
            [result(name, outcome="denied")],
            [result(name, metadata={RECEIPT: {**receipt(name, amount), "effect_ref": "other"}})],
        ]
    )


@st.composite
def turns(draw: st.DrawFn) -> list[ModelMessage]:
    """A prompt, perhaps calls with some of their results, perhaps a result of nothing, and perhaps an answer."""
    scope = {"conversation_id": draw(conversations)}
    opening = [UserPromptPart("pay")]
    if draw(st.integers(0, 9)):
        opening.insert(0, SystemPromptPart("You pay."))  # type: ignore[arg-type]
    messages: list[ModelMessage] = [request(*opening, **scope)]
    for name, amount in draw(st.lists(st.tuples(names, amounts), max_size=2)):
        if draw(st.integers(0, 9)):
            messages.append(response(call(name, amount), **scope))
        answer = draw(results(name, amount))
        if answer:
            messages.append(request(*answer, **scope))
    if draw(st.booleans()):
        messages.append(response(TextPart("done"), **scope))
    return messages


lists = st.lists(turns(), max_size=3).map(lambda found: [message for turn in found for message in turn])
known_facts = st.lists(
    st.one_of(
        st.builds(
            Intent,
            operation_id=st.sampled_from(["order-17", operation_of()]),
            observed_at=st.integers(AT, AT + 3),
            conversation_id=st.sampled_from([CONVERSATION, "conversation-2", "conversation-2"]),
            tool_call_id=st.sampled_from([None, *NAMES]),
            tool=st.just(TOOL),
            payload_hash=amounts.map(lambda amount: payload_hash({"amount": amount}, KEY)),
        ),
        st.builds(
            Effect,
            operation_id=st.sampled_from(["order-17", operation_of()]),
            observed_at=st.integers(AT, AT + 3),
            source=st.just("probe"),
            effect_ref=st.sampled_from(["payment-1", "payment-2"]),
            authoritative=st.booleans(),
        ),
    ),
    max_size=5,
)


def by_operation(facts: list[Fact]) -> dict[str, list[Fact]]:
    found: dict[str, list[Fact]] = {}
    for fact in facts:
        found.setdefault(fact.operation_id, []).append(fact)
    return found


@laws
@given(lists, known_facts, st.randoms(use_true_random=False))
def test_the_order_of_facts_and_their_repetition_change_nothing(
    messages: list[ModelMessage], facts: list[Fact], chance: Any
) -> None:
    shuffled = [*facts, *facts]
    chance.shuffle(shuffled)
    assert audited(messages, ledger=by_operation(facts), now=AT) == audited(
        messages, ledger=by_operation(shuffled), now=AT
    )


@laws
@given(lists, known_facts)
def test_the_verdict_is_the_worst_finding_and_findings_stand_in_their_order(
    messages: list[ModelMessage], facts: list[Fact]
) -> None:
    audit = audited(messages, ledger=by_operation(facts))
    assert list(audit.findings) == sorted(audit.findings, key=ORDER.index)
    assert audit.verdict is (audit.findings[0] if audit.findings else HistoryVerdict.READY)
    assert audit.ready is (not audit.findings)
    assert set(audit.judgement.failures) == set(audit.findings)


@laws
@given(lists, known_facts, st.booleans())
def test_a_message_with_text_takes_nothing_from_a_list_that_is_ready(
    messages: list[ModelMessage], facts: list[Fact], from_user: bool
) -> None:
    ledger = by_operation(facts)
    if audited(messages, ledger=ledger).ready:
        said = request(UserPromptPart("and now?")) if from_user else response(TextPart("as you like"))
        assert audited([*messages, said], ledger=ledger).ready


@laws
@given(lists, known_facts, st.data())
def test_dropping_the_result_of_a_call_never_makes_a_list_ready(
    messages: list[ModelMessage], facts: list[Fact], data: st.DataObject
) -> None:
    ledger = by_operation(facts)
    places = [
        (n, m)
        for n, message in enumerate(messages)
        for m, part in enumerate(message.parts)
        if isinstance(part, ToolReturnPart)
    ]
    if not places or "orphan_result_removed" in findings(messages, ledger=ledger):
        return  # an orphan has no call: dropping it destroys the evidence, which is why the audit comes first
    n, m = data.draw(st.sampled_from(places))
    request_ = messages[n]
    assert isinstance(request_, ModelRequest)
    kept = [part for k, part in enumerate(request_.parts) if k != m]
    assert not audited([*messages[:n], replace(request_, parts=kept), *messages[n + 1 :]], ledger=ledger).ready


@laws
@given(lists, known_facts)
def test_where_a_call_was_cut_off_a_repair_makes_no_list_ready(messages: list[ModelMessage], facts: list[Fact]) -> None:
    ledger = by_operation(facts)
    if "interrupted_tool" in findings(messages, ledger=ledger):
        assert not audited(repair_messages(messages), ledger=ledger).ready


@laws
@given(lists, known_facts)
def test_a_client_s_list_is_never_ready(messages: list[ModelMessage], facts: list[Fact]) -> None:
    assert not audited(messages, ledger=by_operation(facts), provenance="client").ready


@laws
@given(lists, known_facts)
def test_a_list_and_its_stored_forms_have_one_audit_and_stay_what_they_were(
    messages: list[ModelMessage], facts: list[Fact]
) -> None:
    ledger, before = by_operation(facts), dumped(messages)
    audit = audited(messages, ledger=ledger, now=AT)
    assert audited(before, ledger=ledger, now=AT) == audit
    assert audited(Conversation(messages=messages, conversation_id="ignored"), ledger=ledger, now=AT) == audit
    assert audited(ModelMessagesTypeAdapter.validate_json(before), ledger=ledger, now=AT) == audit
    assert dumped(messages) == before


@laws
@given(lists, known_facts)
def test_without_its_signed_receipts_no_list_is_better_off(messages: list[ModelMessage], facts: list[Fact]) -> None:
    ledger = by_operation(facts)
    unsigned: list[Any] = [
        replace(
            message,
            parts=[replace(p, metadata=None) if isinstance(p, ToolReturnPart) else p for p in message.parts],  # type: ignore[arg-type]
        )
        for message in messages
    ]
    assert set(findings(messages, ledger=ledger)) <= set(findings(unsigned, ledger=ledger))
