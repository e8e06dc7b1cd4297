"""An agent takes a conversation up again: its history is audited before the first request, and before any repair."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, RunContext
from pydantic_ai.messages import ModelMessage, SystemPromptPart, ToolCallPart, ToolReturn

from counterfoil import Config
from counterfoil.config import ToolConfig
from counterfoil.histories.pydantic_actors import KEY, TOOL, pay_and_sign, payer, stopped_while_paying, without
from counterfoil.histories.pydantic_repairs import repairs_of
from counterfoil.histories.report import RepairKind
from counterfoil.pydantic_ai import Counterfoil, HistoryRefused
from counterfoil.reading.contracts import ContractError
from tests.histories.lists import CONFIG, CONVERSATION, run

STORED = {"provenance": "server_store", "expects_system_prompt": True, "side_effect_tools": [TOOL]}
CANARY = "c4n4ry"


class Payer:
    """An agent that pays once for each prompt, counts its payments, and has the hook."""

    def __init__(self, resume: str, contract: Any = STORED, config: Config = CONFIG, **more: Any) -> None:
        self.paid = 0
        self.agent = Agent(
            payer().model,
            name="payer",
            system_prompt="You pay.",
            capabilities=[Counterfoil(resume=resume, contract=contract, config=config, **more)],
        )

        @self.agent.tool(name=TOOL)
        async def pay(ctx: RunContext[None], amount: int) -> ToolReturn | str:
            self.paid += 1
            return await pay_and_sign(ctx, amount)

    def resume(self, history: Sequence[ModelMessage], prompt: str | None = None, **how: Any) -> list[ModelMessage]:
        return run(self.agent.run(prompt, message_history=list(history), **how)).all_messages()


def paid() -> list[ModelMessage]:
    return run(payer().run("pay", conversation_id=CONVERSATION)).all_messages()


def cut_off() -> list[ModelMessage]:
    """The call was sent; whether the payment was made, nobody knows."""
    return paid()[:2]


def test_without_the_hook_a_resume_pays_again() -> None:
    agent = Payer("off")
    agent.resume(cut_off())
    assert agent.paid == 1


def test_block_refuses_before_anything_runs_and_says_gate_finding_and_way_out() -> None:
    agent = Payer("block")
    with pytest.raises(HistoryRefused) as refused:
        agent.resume(cut_off())
    said = str(refused.value)
    assert agent.paid == 0
    assert said.startswith("the run was not resumed: interrupted_tool: A tool call has no result of its own")
    assert "call:" in said
    assert "Way out: find out what the call did" in said
    assert said.endswith("All findings: interrupted_tool, missing_outcome_receipt")
    assert "call_1" not in said
    assert refused.value.audit is not None
    assert refused.value.audit.findings == ("interrupted_tool", "missing_outcome_receipt")


@pytest.mark.parametrize("how", ["iter", "run_stream"])
def test_it_is_blocked_however_the_run_is_driven(how: str) -> None:
    agent = Payer("block")

    async def driven() -> None:
        if how == "iter":
            async with agent.agent.iter(message_history=cut_off_now) as going:
                async for _ in going:
                    pass
        else:
            async with agent.agent.run_stream(message_history=cut_off_now) as streamed:
                await streamed.get_output()

    cut_off_now = cut_off()
    with pytest.raises(HistoryRefused):
        run(driven())
    assert agent.paid == 0


@pytest.mark.parametrize("mode", ["tell", "warn"])
def test_tell_and_warn_let_it_go_on(mode: str, caplog: pytest.LogCaptureFixture) -> None:
    agent = Payer(mode)
    with caplog.at_level(logging.WARNING, "counterfoil"):
        agent.resume(cut_off())
    assert agent.paid == 1
    warnings = [line for line in caplog.messages if "is not ready: interrupted_tool" in line]
    assert len(warnings) == (mode == "warn")
    assert "call_1" not in caplog.text


def test_a_healthy_history_goes_on() -> None:
    agent = Payer("block")
    agent.resume(paid(), "pay again")
    assert agent.paid == 1


def test_a_run_without_a_history_is_not_looked_at() -> None:
    agent = Payer("block", contract={"provenance": "client"})
    agent.resume([], "pay")
    assert agent.paid == 1


def test_it_is_seen_what_the_repair_then_drops() -> None:
    with pytest.raises(HistoryRefused, match="orphan_result_removed"):
        Payer("block").resume(without(ToolCallPart, paid()), "go on")


def test_an_interrupted_run_is_seen_before_the_framework_closes_its_call() -> None:
    left = run(stopped_while_paying())
    with pytest.raises(HistoryRefused, match="interrupted_tool"):
        Payer("block").resume(left, "go on")


def test_the_conversation_is_the_runs_and_a_fork_has_to_be_declared() -> None:
    with pytest.raises(HistoryRefused, match="scope_drift"):
        Payer("block").resume(paid(), "go on", conversation_id="conversation-2")
    fork = Payer("block", {**STORED, "forked_from": CONVERSATION})
    fork.resume(paid(), "go on", conversation_id="conversation-2")
    assert fork.paid == 1


def test_a_function_gives_the_contract_of_one_run() -> None:
    def contract(ctx: RunContext[Any]) -> dict[str, object]:
        return {**STORED, "owner": "anna", "caller": ctx.metadata["caller"]}  # type: ignore[index]

    agent = Payer("block", contract)
    agent.resume(paid(), "go on", metadata={"caller": "anna"})
    with pytest.raises(HistoryRefused, match="the owner is not the caller"):
        agent.resume(paid(), "go on", metadata={"caller": "bob"})


def test_without_a_contract_nothing_is_trusted() -> None:
    with pytest.raises(HistoryRefused, match=r"provenance is unknown.*say so in the contract's provenance"):
        Payer("block", None).resume(paid(), "go on")


def test_tools_that_the_settings_give_a_side_effect_need_a_receipt() -> None:
    config = Config(hash_key=KEY, tools={TOOL: ToolConfig(side_effect=True)})
    history = paid()
    for message in history:
        for part in message.parts:
            if getattr(part, "metadata", None):
                part.metadata = None  # type: ignore[union-attr]
    with pytest.raises(HistoryRefused, match="missing_outcome_receipt"):
        Payer("block", {"provenance": "server_store"}, config).resume(history, "go on")


def test_what_results_come_for_is_no_interruption() -> None:
    agent = Agent(
        payer().model,
        system_prompt="You pay.",
        output_type=[str, DeferredToolRequests],
        capabilities=[Counterfoil(resume="block", contract=STORED, config=CONFIG)],
    )
    ran = []

    @agent.tool(name=TOOL, requires_approval=True)
    async def pay(ctx: RunContext[None], amount: int) -> ToolReturn | str:
        ran.append(amount)
        return await pay_and_sign(ctx, amount)

    asked = run(agent.run("pay", conversation_id=CONVERSATION)).all_messages()
    yes = DeferredToolResults(approvals={"call_1": True})
    run(agent.run(message_history=asked, deferred_tool_results=yes))
    assert ran == [5]
    with pytest.raises(HistoryRefused, match="interrupted_tool"):
        run(agent.run(message_history=asked))


def broken(ctx: RunContext[Any]) -> dict[str, object]:
    raise RuntimeError(CANARY)


@pytest.mark.parametrize("mode", ["tell", "warn"])
def test_an_audit_that_fails_harms_nobody(mode: str, tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_bytes(b"no database" * 1_000)
    for agent in (Payer(mode, broken), Payer(mode, ledger=f"sqlite:///{tmp_path}/ledger.db")):
        agent.resume(paid(), "pay again")
        assert agent.paid == 1


def test_under_block_no_answer_is_a_refusal(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_bytes(b"no database" * 1_000)
    with pytest.raises(HistoryRefused, match=r"can't be audited \(LedgerFault: .*resume=\"warn\"") as refused:
        Payer("block", ledger=f"sqlite:///{tmp_path}/ledger.db").resume(paid(), "pay again")
    assert refused.value.audit is None
    with pytest.raises(HistoryRefused, match=r"\(RuntimeError\)") as refused:
        Payer("block", broken).resume(paid(), "pay again")
    assert CANARY not in str(refused.value)


def test_what_is_written_wrong_is_said_when_the_agent_is_made() -> None:
    with pytest.raises(ValueError, match="blok"):
        Counterfoil(resume="blok")
    with pytest.raises(ContractError, match="side_efect_tools"):
        Counterfoil(resume="tell", contract={"side_efect_tools": []})


def test_a_file_describes_it() -> None:
    agent = Agent.from_spec(
        {"model": "test", "capabilities": [{"Counterfoil": {"resume": "block", "contract": {"provenance": "client"}}}]},
        custom_capability_types=[Counterfoil],
    )
    with pytest.raises(HistoryRefused, match="provenance is client"):
        asyncio.run(agent.run("go on", message_history=paid()))


def test_repairs_are_counted_and_name_calls_by_hashes() -> None:
    orphaned = without(ToolCallPart, paid())
    kinds = {repair.kind: (repair.number, len(repair.calls)) for repair in repairs_of(orphaned, has_prompt=True)}
    assert kinds == {RepairKind.DROPPED_RESULT: (1, 1)}
    left = run(stopped_while_paying())
    assert {repair.kind for repair in repairs_of(left, has_prompt=True)} >= {RepairKind.CLOSED_CALL}
    twice = [*without(SystemPromptPart, paid())[:1], *paid()]
    assert {repair.kind: repair.number for repair in repairs_of(twice, has_prompt=False)} == {
        RepairKind.MERGED_MESSAGES: 1
    }
    assert repairs_of(paid(), has_prompt=True) == ()
    assert repairs_of(cut_off(), has_prompt=False) == (), "the framework runs that call; it does not close it"
