"""No blind retry: what is known of an intent decides whether its tool may run again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import DeferredToolRequests, DeferredToolResults
from pydantic_ai.exceptions import ModelRetry, ToolFailed
from pydantic_ai.messages import ModelMessage, ModelRequest, ToolReturnPart

from counterfoil import current_operation
from counterfoil.facts import Effect
from counterfoil.ledger import open_ledger
from counterfoil.ledger.looking import look_up
from counterfoil.pydantic_ai import Counterfoil
from counterfoil.waiting import Waiting, waiting_of
from tests.capability.agents import Watched, call, calls

ONE = call("pay", order="order-7")


def pays(**declared: Any) -> dict[str, Any]:
    return {"counterfoil": {"operation_id": "order", "effect_ref": "id", "guard": "enforce", **declared}}


def returns(messages: Sequence[ModelMessage]) -> list[tuple[str, Any]]:
    """How each call was answered to the model, and with what."""
    parts = (part for message in messages if isinstance(message, ModelRequest) for part in message.parts)
    return [(part.outcome, part.content) for part in parts if isinstance(part, ToolReturnPart)]


@pytest.fixture
def ledger(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/ledger.db"


def shop(ledger: str, body: Any, turns: int = 2, **declared: Any) -> tuple[Watched, Any]:
    watched = Watched()
    agent = watched.agent(calls(*[[ONE]] * turns), Counterfoil(ledger=ledger))
    agent.tool_plain(body, name="pay", metadata=pays(**declared))
    return watched, agent


@pytest.mark.parametrize("address", ["memory:", "sqlite"])
def test_what_is_shown_to_be_done_is_given_back_instead_of_done_again(address: str, ledger: str) -> None:
    paid: list[str] = []

    def pay(order: str) -> dict[str, str]:
        paid.append(order)
        return {"id": f"ch_{len(paid)}"}

    watched, agent = shop(ledger if address == "sqlite" else address, pay)
    run = agent.run_sync("go")
    assert paid == ["order-7"]
    assert returns(run.all_messages()) == [("success", {"id": "ch_1"})] * 2
    assert [said["counterfoil.guard.decision"] for said in watched.said("pay")] == ["go", "give_back"]
    assert watched.said("pay")[1]["counterfoil.proof"] == "blocked_by_guard"
    assert watched.verdicts() == {"order-7": "verified_applied"}


def test_or_it_is_refused_if_the_tool_says_so(ledger: str) -> None:
    watched, agent = shop(ledger, lambda order: {"id": "ch_1"}, when_applied="refuse")
    answers = returns(agent.run_sync("go").all_messages())
    assert [outcome for outcome, _ in answers] == ["success", "failed"]
    assert "done already (reference ch_1)" in answers[1][1]
    assert watched.verdicts() == {"order-7": "verified_applied"}


def test_doubt_is_held_with_words_for_the_model(ledger: str) -> None:
    paid: list[str] = []

    def pay(order: str) -> dict[str, str]:
        paid.append(order)
        raise ModelRetry("gateway timeout, try again")

    watched, agent = shop(ledger, pay)
    answers = returns(agent.run_sync("go").all_messages())
    assert paid == ["order-7"]
    assert [outcome for outcome, _ in answers] == ["retried", "failed"]
    assert "nobody knows whether it was done" in answers[1][1]
    assert watched.verdicts() == {"order-7": "indeterminate"}


def test_a_probe_settles_the_doubt_either_way(ledger: str) -> None:
    """The first answer is lost. The target is asked: it holds nothing, so the same key goes out again; then it does."""
    held: list[str] = []
    keys: list[str] = []
    losing = [True, False]

    def pay(order: str) -> dict[str, str]:
        operation = current_operation()
        assert operation is not None
        keys.append(operation.idempotency_key)
        if losing.pop(0):
            raise ToolFailed("no answer")
        held.append("ch_1")
        return {"status": "unclear"}

    watched, agent = shop(ledger, pay, turns=3, probe=lambda asked: list(held))
    answers = returns(agent.run_sync("go").all_messages())
    assert held == ["ch_1"]
    assert len(keys) == 2
    assert len(set(keys)) == 1
    assert [outcome for outcome, _ in answers] == ["failed", "success", "success"]
    assert watched.said("pay")[2]["counterfoil.guard.decision"] == "give_back"


@pytest.mark.parametrize("answer", [None, RuntimeError("down")])
def test_a_probe_that_can_not_tell_leaves_the_doubt(answer: Any, ledger: str) -> None:
    async def probe(asked: Any) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    paid: list[str] = []

    def pay(order: str) -> str:
        paid.append(order)
        raise ToolFailed("no answer")

    _, agent = shop(ledger, pay, probe=probe)
    agent.run_sync("go")
    assert len(paid) == 1


@pytest.mark.parametrize("address", ["memory:", "sqlite"])
def test_a_success_that_the_target_does_not_bear_out_is_for_a_person(address: str, ledger: str) -> None:
    paid: list[str] = []

    def pay(order: str) -> str:
        paid.append(order)
        return "accepted"

    _, agent = shop(ledger if address == "sqlite" else address, pay, probe=lambda asked: [])
    (_, (outcome, words)) = returns(agent.run_sync("go").all_messages())
    assert (len(paid), outcome) == (1, "failed")
    assert "the target doesn't have it" in words


def test_a_look_from_before_a_body_that_was_killed_proves_nothing(ledger: str) -> None:
    """Nothing was there, so a second body set out, and was killed. Nobody saw what it did."""
    paid: list[str] = []

    def pay(order: str) -> str:
        paid.append(order)
        raise SystemExit if len(paid) == 2 else ToolFailed("no answer")

    looks = iter([[], None])
    _, agent = shop(ledger, pay, probe=lambda asked: next(looks))
    with pytest.raises(SystemExit):
        agent.run_sync("go")
    _, again = shop(ledger, pay, turns=1)
    [(outcome, words)] = returns(again.run_sync("go").all_messages())
    assert (len(paid), outcome) == (2, "failed")
    assert "nobody knows" in words


def test_after_a_definite_no_the_tool_may_run_again(ledger: str) -> None:
    tries: list[str] = []

    def pay(order: str) -> dict[str, str]:
        tries.append(order)
        operation = current_operation()
        if len(tries) == 1 and operation is not None:
            operation.did_nothing()
            raise ToolFailed("declined")
        return {"id": "ch_1"}

    watched, agent = shop(ledger, pay)
    agent.run_sync("go")
    assert len(tries) == 2
    assert watched.verdicts() == {"order-7": "verified_applied"}


def test_advice_changes_nothing_and_says_what_would_have_been_done(ledger: str) -> None:
    paid: list[str] = []

    def pay(order: str) -> dict[str, str]:
        paid.append(order)
        return {"id": f"ch_{len(paid)}"}

    watched, agent = shop(ledger, pay, guard="advise")
    agent.run_sync("go")
    assert len(paid) == 2
    said = [(one["counterfoil.guard.mode"], one["counterfoil.guard.decision"]) for one in watched.said("pay")]
    assert said == [("advise", "go"), ("advise", "refuse")]
    assert watched.verdicts() == {"order-7": "duplicate_effect"}


def test_a_person_may_decide_what_the_evidence_can_not(ledger: str) -> None:
    paid: list[str] = []

    def pay(order: str) -> dict[str, str]:
        paid.append(order)
        if len(paid) == 1:
            raise ToolFailed("no answer")
        return {"id": "ch_1"}

    watched = Watched()
    agent = watched.agent(calls([ONE], [ONE]), Counterfoil(ledger=ledger), output_type=[str, DeferredToolRequests])
    agent.tool_plain(pay, name="pay", metadata=pays(when_in_doubt="ask", owner="payments", ask_within_s=60))
    first = agent.run_sync("go")
    assert isinstance(first.output, DeferredToolRequests)
    [asked] = first.output.approvals
    waits = waited_for(ledger)
    assert waits is not None
    assert (waits.owner, waits.until is not None, waits.resume_token is not None) == ("payments", True, True)
    decided = DeferredToolResults(approvals={asked.tool_call_id: True}, metadata=first.output.metadata)
    second = agent.run_sync(message_history=first.all_messages(), deferred_tool_results=decided)
    assert second.output == "done"
    assert len(paid) == 2
    known = look_up(open_ledger(ledger), "order-7")
    assert known is not None
    assert any(intent.approved for intent in known.operation.intents), "the approval is on record"
    assert waited_for(ledger) is None


def waited_for(ledger: str) -> Waiting | None:
    known = look_up(open_ledger(ledger), "order-7")
    return waiting_of(known.operation) if known is not None else None


def test_an_approval_from_before_the_doubt_is_no_answer_to_it(ledger: str) -> None:
    _, agent = shop(ledger, lambda order: "unclear", turns=1)
    agent.run_sync("go")
    watched = Watched()
    later = watched.agent(calls([ONE]), Counterfoil(ledger=ledger), output_type=[str, DeferredToolRequests])
    later.tool_plain(lambda order: 1 / 0, name="pay", metadata=pays(), requires_approval=True)
    asked = later.run_sync("go")
    assert isinstance(asked.output, DeferredToolRequests)
    decided = DeferredToolResults(approvals={asked.output.approvals[0].tool_call_id: True})
    done = later.run_sync(message_history=asked.all_messages(), deferred_tool_results=decided)
    assert returns(done.all_messages())[-1][0] == "failed"


def test_what_a_webhook_told_the_ledger_counts_as_well(ledger: str) -> None:
    effect = Effect(operation_id="order-7", observed_at=1, source="webhook", effect_ref="ch_9", authoritative=True)
    open_ledger(ledger).add([effect], due=0)
    _, agent = shop(ledger, lambda order: 1 / 0, turns=1)
    [(outcome, words)] = returns(agent.run_sync("go").all_messages())
    assert outcome == "failed"
    assert "ch_9" in words


def test_a_stored_call_that_is_resumed_in_another_run_is_not_carried_out_again(ledger: str) -> None:
    """The history ends with the call: Pydantic AI runs it, under the same id, in a new run. Its name is derived."""
    paid: list[str] = []

    def pay(order: str) -> dict[str, str]:
        paid.append(order)
        return {"id": f"ch_{len(paid)}"}

    watched, agent = Watched(), None
    for turns in ([[ONE]], [[ONE]]):
        agent = watched.agent(calls(*turns), Counterfoil(guard="enforce", ledger=ledger))
        agent.tool_plain(pay, name="pay", metadata={"counterfoil": {"side_effect": True, "effect_ref": "id"}})
        if not paid:
            stored = agent.run_sync("go").all_messages()[:2]
        else:
            answers = returns(agent.run_sync(message_history=stored).all_messages())
    assert paid == ["order-7"]
    assert [outcome for outcome, _ in answers] == ["failed"]
    assert set(watched.verdicts().values()) == {"verified_applied"}
