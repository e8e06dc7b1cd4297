"""A call that a person did not allow is recorded apart: it is neither waiting any more, nor in doubt, nor done."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic_ai import DeferredToolRequests, DeferredToolResults, ToolDenied
from pydantic_ai.capabilities import HandleDeferredToolCalls
from pydantic_ai.exceptions import ApprovalRequired

from counterfoil.ledger import open_ledger
from counterfoil.ledger.looking import look_up
from counterfoil.pydantic_ai import Counterfoil
from tests.capability.agents import Watched, call, calls

PAY = call("pay", order="order-7")
DECLARED = {"counterfoil": {"operation_id": "order"}}


def pay(order: str) -> str:
    raise ApprovalRequired


@pytest.mark.parametrize("decision", [False, ToolDenied("The card 4242 was stolen.")])
@pytest.mark.parametrize("before", [True, False], ids=["asked before the body", "asked by the body"])
def test_a_denied_approval_ends_the_waiting(before: bool, decision: Any, tmp_path: Any) -> None:
    watched, ledger = Watched(), f"sqlite:///{tmp_path}/ledger.db"
    agent = watched.agent(calls([PAY]), Counterfoil(ledger=ledger), output_type=[str, DeferredToolRequests])
    agent.tool_plain(pay, name="pay", metadata=DECLARED, requires_approval=before)
    asked = agent.run_sync("go")
    assert isinstance(asked.output, DeferredToolRequests)
    decided = DeferredToolResults(approvals={asked.output.approvals[0].tool_call_id: decision})
    done = agent.run_sync(message_history=asked.all_messages(), deferred_tool_results=decided)
    assert done.output == "done"
    assert watched.verdicts() == {"order-7": "verified_not_applied"}
    [said] = [one for one in watched.said("pay", "denied pay") if one.get("counterfoil.tool.outcome") == "denied"]
    assert (said["counterfoil.executed"], said["counterfoil.proof"]) == (False, "denied")
    assert "4242" not in repr(said)
    known = look_up(open_ledger(ledger), "order-7")
    assert known is not None
    assert known.verdict == "verified_not_applied"


def test_so_does_one_that_is_denied_within_the_run() -> None:
    async def nobody(ctx: Any, requests: DeferredToolRequests) -> DeferredToolResults:
        return DeferredToolResults(approvals={one.tool_call_id: ToolDenied() for one in requests.approvals})

    watched = Watched()
    agent = watched.agent(calls([PAY]), Counterfoil(), HandleDeferredToolCalls(nobody))
    agent.tool_plain(pay, name="pay", metadata=DECLARED)
    assert agent.run_sync("go").output == "done"
    assert watched.verdicts() == {"order-7": "verified_not_applied"}
    outcomes = [said["counterfoil.tool.outcome"] for said in watched.said("pay", "denied pay")]
    assert outcomes == ["deferred", "denied"]


def test_a_guard_lets_a_later_call_go_that_a_person_allows(tmp_path: Any) -> None:
    """The denial was about that call. It proves that nothing was done, and nothing more."""
    watched, paid = Watched(), list[str]()

    def charge(order: str) -> None:
        paid.append(order)

    guard = Counterfoil[Any](guard="enforce", ledger=f"sqlite:///{tmp_path}/ledger.db")
    agent = watched.agent(calls([PAY], [call("pay", order="order-7")]), guard, output_type=[str, DeferredToolRequests])
    agent.tool_plain(charge, name="pay", metadata=DECLARED, requires_approval=True)
    run = agent.run_sync("go")
    for allowed in (False, True):
        assert isinstance(run.output, DeferredToolRequests)
        decided = DeferredToolResults(approvals={run.output.approvals[0].tool_call_id: allowed})
        run = agent.run_sync(message_history=run.all_messages(), deferred_tool_results=decided)
    assert len(paid) == 1


def test_a_denied_tool_of_which_nothing_is_declared_is_told_as_well() -> None:
    watched = Watched()
    agent = watched.agent(calls([PAY]), Counterfoil(), output_type=[str, DeferredToolRequests])
    agent.tool_plain(lambda order: "paid", name="pay", requires_approval=True)
    asked = agent.run_sync("go")
    assert isinstance(asked.output, DeferredToolRequests)
    decided = DeferredToolResults(approvals={asked.output.approvals[0].tool_call_id: False})
    agent.run_sync(message_history=asked.all_messages(), deferred_tool_results=decided)
    assert set(watched.verdicts("pay").values()) == {"verified_not_applied"}
