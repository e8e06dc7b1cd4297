"""An operation is named where its intent is, and the reader of spans agrees with the agent on the name."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelMessagesTypeAdapter, ToolReturn

from counterfoil import Config, current_operation
from counterfoil.histories.pydantic_audit import audit_history
from counterfoil.ledger import open_ledger
from counterfoil.ledger.looking import look_up
from counterfoil.pydantic_ai import Counterfoil
from counterfoil.reading.hashing import payload_hash
from counterfoil.reading.identity import derived_operation_id
from tests.capability.agents import Watched, call, calls
from tests.capability.test_guard import returns, shop

BY_ORDER = {"counterfoil": {"operation_id": "order", "effect_ref": "id"}}


def test_a_name_that_metadata_declares_is_the_operation_s_everywhere() -> None:
    watched = Watched()
    agent = watched.agent(calls([call("charge", order="order-7", amount=5)]), Counterfoil())

    @agent.tool_plain(metadata=BY_ORDER)
    async def charge(order: str, amount: int) -> dict[str, str]:
        operation = current_operation()
        assert operation is not None
        assert operation.metadata == {"counterfoil_operation_id": "order-7"}
        return {"id": "ch_1"}

    agent.run_sync("go")
    assert watched.said("charge")[0]["counterfoil.operation.id"] == "order-7"
    assert watched.verdicts() == {"order-7": "verified_applied"}


def test_a_function_of_the_validated_arguments_may_name_it() -> None:
    watched = Watched()
    agent = watched.agent(calls([call("charge", amount="5")]), Counterfoil())

    @agent.tool_plain(metadata={"counterfoil": {"operation_id": lambda args: f"charge-{args['amount'] + 1}"}})
    def charge(amount: int) -> str:
        return "done"

    agent.run_sync("go")
    assert watched.said("charge")[0]["counterfoil.operation.id"] == "charge-6"


def test_a_derived_name_is_of_the_arguments_as_the_model_sent_them() -> None:
    """The model sends a text where the tool takes a number; span, ledger and stored messages all show the text."""
    watched = Watched()
    agent = watched.agent(calls([call("charge", "call_1", amount="5")]), Counterfoil())

    @agent.tool_plain(metadata={"counterfoil": {"side_effect": True}})
    def charge(amount: int) -> str:
        return "done"

    agent.run_sync("go", conversation_id="talk")
    name = derived_operation_id("talk", "call_1", payload_hash({"amount": "5"}))
    assert name is not None
    assert watched.said("charge")[0]["counterfoil.operation.id"] == name
    assert watched.verdicts() == {name: "indeterminate"}


def test_a_naming_that_fails_costs_the_name_and_not_the_call() -> None:
    watched = Watched()
    agent = watched.agent(calls([call("charge", amount=5)]), Counterfoil())

    @agent.tool_plain(metadata={"counterfoil": {"operation_id": lambda args: args["missing"], "guard": "sometimes"}})
    def charge(amount: int) -> str:
        return "done"

    assert agent.run_sync("go").output == "done"
    assert watched.said("charge")[0]["counterfoil.operation.id"].startswith("derived:")


def test_the_key_is_the_same_in_every_repeat_and_counts_only_when_it_was_asked_for() -> None:
    watched, keys = Watched(), []
    turns = [[call("charge", order="order-7")], [call("charge", order="order-7")], [call("refund", order="order-7")]]
    agent = watched.agent(calls(*turns), Counterfoil())

    @agent.tool_plain(metadata=BY_ORDER)
    def charge(order: str) -> dict[str, str]:
        operation = current_operation()
        assert operation is not None
        keys.append(operation.idempotency_key)
        return {"id": "ch_1"}

    @agent.tool_plain(metadata={"counterfoil": {"operation_id": "join('-', ['refund', order])"}})
    def refund(order: str) -> str:
        return "done"

    agent.run_sync("go")
    assert len(keys) == 2
    assert len(set(keys)) == 1
    assert keys[0] not in str(watched.said("charge")), "a key is shown as a fingerprint only"
    assert "counterfoil.idempotency_key" in watched.said("charge")[0]
    assert "counterfoil.idempotency_key" not in watched.said("refund")[0]
    assert watched.verdicts()["order-7"] == "verified_applied", "the same key twice is what a retry should look like"


def test_parallel_calls_each_see_their_own_operation() -> None:
    watched, seen = Watched(), {}
    agent = watched.agent(calls([call("charge", order=f"order-{n}") for n in range(5)]), Counterfoil())

    @agent.tool_plain(metadata=BY_ORDER)
    async def charge(order: str) -> dict[str, str]:
        await asyncio.sleep(0)
        operation = current_operation()
        seen[order] = operation.operation_id if operation is not None else None
        return {"id": f"ch_{order}"}

    agent.run_sync("go")
    assert seen == {f"order-{n}": f"order-{n}" for n in range(5)}
    assert set(watched.verdicts().values()) == {"verified_applied"}
    assert current_operation() is None


def test_an_agent_inside_a_tool_has_operations_of_its_own() -> None:
    watched = Watched()
    inner = watched.agent(calls([call("charge", order="inner")]), Counterfoil())
    outer = watched.agent(calls([call("delegate", order="outer")]), Counterfoil())

    @inner.tool_plain(metadata=BY_ORDER)
    def charge(order: str) -> dict[str, str]:
        return {"id": "ch_1"}

    @outer.tool_plain(metadata={"counterfoil": {"side_effect": False}})
    async def delegate(order: str) -> str:
        return str((await inner.run("go")).output)

    outer.run_sync("go")
    assert watched.verdicts("charge") == {"inner": "verified_applied"}
    assert set(watched.verdicts("delegate").values()) == {"healthy"}


@pytest.mark.parametrize("how", ["result", "metadata", "said"])
def test_a_receipt_is_taken_where_it_stands_and_signed_into_the_history(how: str) -> None:
    secret = b"a key that is long enough"
    config = Config(hash_key=secret)
    watched = Watched(config)
    agent = watched.agent(calls([call("charge", "call_1", order="order-7")]), Counterfoil(config=config))
    declares: dict[str, Any] = {"operation_id": "order"} | ({"effect_ref": "id"} if how == "result" else {})

    @agent.tool_plain(metadata={"counterfoil": declares})
    def charge(order: str) -> Any:
        operation = current_operation()
        if how == "said" and operation is not None:
            operation.receipt("ch_1")
        return ToolReturn({"id": "ch_1"}, metadata={"counterfoil.effect.ref": "ch_1"} if how == "metadata" else None)

    run = agent.run_sync("go", conversation_id="talk")
    assert watched.verdicts() == {"order-7": "verified_applied"}
    contract = {"conversation_id": "talk", "provenance": "server_store", "side_effect_tools": ["charge"]}
    stored = ModelMessagesTypeAdapter.dump_json(run.all_messages())
    assert audit_history(stored, contract=contract, config=config).ready
    forged = stored.replace(b"ch_1", b"ch_2")
    assert not audit_history(forged, contract=contract, config=config).ready


def test_the_intent_is_in_the_ledger_before_the_body_runs(tmp_path: Any) -> None:
    address, found = f"sqlite:///{tmp_path}/ledger.db", []
    agent = Agent(calls([call("charge", order="order-7")]), capabilities=[Counterfoil(ledger=address)])

    @agent.tool(metadata=BY_ORDER)
    def charge(ctx: RunContext[None], order: str) -> dict[str, str]:
        known = look_up(open_ledger(address), order)
        found.append(known and [intent.tool for intent in known.operation.intents])
        return {"id": "ch_1"}

    agent.run_sync("go")
    assert found == [["charge"]]
    known = look_up(open_ledger(address), "order-7")
    assert known is not None
    assert (known.verdict, known.effect_refs) == ("verified_applied", ("ch_1",))


def test_a_ledger_that_can_not_be_opened_costs_nothing_but_the_evidence() -> None:
    agent = Agent(
        calls([call("charge", order="order-7")]), capabilities=[Counterfoil(ledger="sqlite:////no/such/place")]
    )

    @agent.tool_plain(metadata=BY_ORDER)
    def charge(order: str) -> dict[str, str]:
        return {"id": "ch_1"}

    assert agent.run_sync("go").output == "done"


def test_a_guard_that_can_not_read_its_ledger_holds_the_tool() -> None:
    _, agent = shop("sqlite:////no/such/place/ledger.db", lambda order: 1 / 0, turns=1)
    [(outcome, words)] = returns(agent.run_sync("go").all_messages())
    assert outcome == "failed"
    assert "ledger can't be used" in words


def test_an_agent_that_is_described_in_a_file_has_it_too() -> None:
    agent = Agent.from_spec(
        {"model": "test", "capabilities": [{"Counterfoil": {"guard": "advise"}}]}, custom_capability_types=[Counterfoil]
    )
    found: list[Any] = []
    agent.root_capability.apply(found.append)
    assert [one.guard for one in found if isinstance(one, Counterfoil)] == ["advise"]
