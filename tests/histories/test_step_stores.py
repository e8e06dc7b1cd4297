"""The harness's own step stores: what is audited out of them, and the bridge between their records and our facts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelMessage, ToolReturn
from pydantic_ai_harness.step_persistence import (
    FileStepStore,
    InMemoryStepStore,
    SqliteStepStore,
    StepPersistence,
    StepStore,
    annotate_tool_effect,
)

from counterfoil import audit_history
from counterfoil.bridges.step_persistence import MARK, annotate, records_of
from counterfoil.config import Config, Lookup, Place, ToolConfig
from counterfoil.facts import Claim, Effect, Intent, Reported
from counterfoil.histories.pydantic_actors import TOOL, Pay, pay_and_sign, payer
from counterfoil.histories.pydantic_audit import audit_step_store
from counterfoil.histories.pydantic_stored import UnreadableHistory
from counterfoil.ledger import Ledger, open_ledger
from counterfoil.ledger.looking import look_up
from counterfoil.pydantic_ai import Counterfoil, HistoryRefused
from tests.histories.lists import AT, CONFIG, CONVERSATION, TERMS, audited, operation_of, run

Make = Callable[[Path], StepStore]
STORES: dict[str, Make] = {
    "memory": lambda folder: InMemoryStepStore(),
    "file": lambda folder: FileStepStore(folder / "steps"),
    "sqlite": lambda folder: SqliteStepStore(database=folder / "steps.db"),
}
CANARY = "c4n4ry"


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> StepStore:
    return STORES[request.param](tmp_path)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = open_ledger(f"sqlite:///{tmp_path}/ledger.db")
    yield opened
    opened.close()


async def fails(ctx: RunContext[None], amount: int) -> ToolReturn | str:
    raise RuntimeError(CANARY)


def ran(store: StepStore, pay: Pay = pay_and_sign, *, run_id: str = "run-1", **how: Any) -> list[ModelMessage]:
    """One run, which may fail; of the framework's messages those that it ended with."""
    agent = payer(pay)
    keeping: Any = StepPersistence(store=store, run_id=run_id, capture_frontier=True)
    try:
        going = agent.run("pay", conversation_id=CONVERSATION, capabilities=[keeping], **how)
        return run(going).all_messages()
    except RuntimeError:
        return []


# ------------------------------------------------------------------------------- audits


def test_a_settled_run_is_ready(store: StepStore) -> None:
    messages = ran(store)
    audit = audited(store)
    assert (audit.ready, audit.messages, audit.receipts) == (True, len(messages), 1)


def test_a_run_that_failed_in_its_tool_is_interrupted(store: StepStore) -> None:
    ran(store, fails)
    assert audited(store).verdict == "interrupted_tool"


def test_the_newest_run_of_the_conversation_is_taken_unless_one_is_named(store: StepStore) -> None:
    first = ran(store)
    both = ran(store, run_id="run-2", message_history=first)
    assert audited(store).messages == len(both)
    assert audit_history(store, contract=TERMS, config=CONFIG, run_id="run-1").messages == len(first)


def test_it_is_read_from_inside_an_event_loop_too(store: StepStore) -> None:
    ran(store)

    async def looked() -> bool:
        with pytest.raises(TypeError, match="audit_step_store"):
            audited(store)
        return (await audit_step_store(store, contract=TERMS, config=CONFIG)).ready

    assert asyncio.run(looked())


def test_a_conversation_that_it_does_not_hold_is_unreadable(store: StepStore) -> None:
    with pytest.raises(UnreadableHistory, match="no snapshot"):
        audited(store)


def test_a_snapshots_file_is_read_as_it_is(tmp_path: Path) -> None:
    messages = ran(FileStepStore(tmp_path / "steps"))
    newest = max((tmp_path / "steps").rglob("*.json"), key=lambda path: ("snapshots" in path.parts, path.name))
    assert audited(newest).messages == len(messages)


def test_an_agent_refuses_to_resume_from_it(store: StepStore) -> None:
    ran(store, fails)
    snapshot = run(store.latest_snapshot(run_id="run-1", include_interrupted=True))
    assert snapshot is not None
    contract = {key: said for key, said in TERMS.items() if key != "expects_system_prompt"}
    agent = Agent(payer().model, capabilities=[Counterfoil(resume="block", contract=contract, config=CONFIG)])
    with pytest.raises(HistoryRefused, match="interrupted_tool"):
        run(agent.run(message_history=snapshot.messages))


# ------------------------------------------------------------------------------- bridge


def test_a_record_becomes_an_intent_and_a_claim_under_the_name_that_spans_give_the_call(store: StepStore) -> None:
    ran(store)
    told = run(records_of(store, "run-1", config=CONFIG))
    assert told.operations == {"call_1": operation_of()}
    assert told.unnamed == ()
    intent, claim = told.facts
    assert isinstance(intent, Intent)
    assert isinstance(claim, Claim)
    assert (intent.operation_id, intent.tool, intent.conversation_id) == (operation_of(), TOOL, CONVERSATION)
    assert (claim.operation_id, claim.reported, claim.by) == (operation_of(), Reported.SUCCESS, "step_persistence")
    assert run(records_of(store, "run-1", config=CONFIG)) == told, "the same records are the same facts"


def test_what_failed_is_a_claim_and_no_proof_that_nothing_happened(store: StepStore, ledger: Ledger) -> None:
    ran(store, fails)
    told = run(records_of(store, "run-1", ledger=ledger, config=CONFIG))
    assert CANARY not in repr(told)
    ledger.add(told.facts, due=AT)
    judged = look_up(ledger, operation_of())
    assert judged is not None
    assert judged.verdict == "indeterminate"


def test_a_call_that_was_in_flight_is_an_intent_alone(store: StepStore) -> None:
    ran(store)
    record = run(store.get_tool_effect(run_id="run-1", tool_call_id="call_1"))
    assert record is not None
    record.status, record.ended_at = "started", None  # as a killed process leaves it
    run(store.record_tool_effect(record))
    (intent,) = run(records_of(store, "run-1", config=CONFIG)).facts
    assert isinstance(intent, Intent)


def test_the_settings_name_the_operation_here_too(store: StepStore) -> None:
    ran(store)
    config = Config(tools={TOOL: ToolConfig(operation_id=Lookup.parse("amount", Place.ARGUMENTS))})
    assert run(records_of(store, "run-1", config=config)).operations == {"call_1": "5"}


def test_a_call_whose_request_nobody_kept_is_named_by_the_ledger_or_not_at_all(ledger: Ledger) -> None:
    store = InMemoryStepStore()
    ran(store)
    bare = InMemoryStepStore()
    for event in run(store.list_events(run_id="run-1")):
        run(bare.append_event(event))
    for record in (run(store.get_run(run_id="run-1")),):
        assert record is not None
        run(bare.register_run(record))
    effect = run(store.get_tool_effect(run_id="run-1", tool_call_id="call_1"))
    assert effect is not None
    run(bare.record_tool_effect(effect))
    told = run(records_of(bare, "run-1", ledger=ledger, config=CONFIG))
    assert (told.facts, told.operations, len(told.unnamed)) == ((), {}, 1)
    assert "call_1" not in told.unnamed[0]
    meant = Intent(
        operation_id="order-7", observed_at=AT, tool=TOOL, tool_call_id="call_1", conversation_id=CONVERSATION
    )
    ledger.add([meant], due=AT)
    told = run(records_of(bare, "run-1", ledger=ledger, config=CONFIG))
    assert told.operations == {"call_1": "order-7"}
    assert [type(fact) for fact in told.facts] == [Claim], "the ledger has the intent already"


def test_the_verdict_is_noted_beside_the_record_and_what_was_there_stays(store: StepStore, ledger: Ledger) -> None:
    async def pay(ctx: RunContext[None], amount: int) -> ToolReturn | str:
        await annotate_tool_effect(store, ctx, idempotency_key="key-7", effect_summary="sent to the bank")
        return await pay_and_sign(ctx, amount)

    ran(store, pay)
    ledger.add(run(records_of(store, "run-1", ledger=ledger, config=CONFIG)).facts, due=AT)

    def noted() -> str:
        assert run(annotate(store, "run-1", ledger, config=CONFIG)) == 1
        record = run(store.get_tool_effect(run_id="run-1", tool_call_id="call_1"))
        assert record is not None
        assert (record.status, record.idempotency_key) == ("completed", "key-7")
        return record.effect_summary or ""

    assert noted() == f"sent to the bank; {MARK}indeterminate, operation {operation_of()}"
    seen = Effect(
        operation_id=operation_of(), observed_at=AT, source="webhook", effect_ref="pay_81", authoritative=True
    )
    ledger.add([seen], due=AT)
    assert noted() == f"sent to the bank; {MARK}verified_applied (pay_81), operation {operation_of()}"
    assert noted().count(MARK) == 1
