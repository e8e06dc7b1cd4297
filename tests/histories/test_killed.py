"""A process is killed while its agent pays. What its stores hold then is audited before anybody resumes it."""

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic_ai_harness.step_persistence import FileStepStore

from counterfoil.config import Config
from counterfoil.histories.pydantic_actors import CONTRACT, KEY
from counterfoil.histories.pydantic_audit import audit_history, audit_step_store
from counterfoil.histories.pydantic_stored import UnreadableHistory
from counterfoil.histories.report import HistoryAudit
from counterfoil.ledger import open_ledger
from tests.histories.lists import run

CONVERSATION = "conversation-1"

AGENT = '''
import asyncio, sys, time
from pathlib import Path
from pydantic_ai import RunContext
from pydantic_ai.messages import ModelMessagesTypeAdapter
from pydantic_ai_harness import StepPersistence
from pydantic_ai_harness.step_persistence import FileStepStore
from counterfoil.facts import Intent
from counterfoil.histories.pydantic_actors import KEY, payer
from counterfoil.ledger import open_ledger
from counterfoil.reading.hashing import payload_hash

folder = Path(sys.argv[1])

async def pay_and_hang(ctx: RunContext[None], amount: int) -> str:
    """The intent is kept before anything is sent; then the money is gone, and no answer ever comes."""
    open_ledger(f"sqlite:///{folder}/ledger.sqlite").add([
        Intent(operation_id="order-17", observed_at=time.time_ns(), tool="pay", side_effect=True,
               conversation_id=ctx.conversation_id, tool_call_id=ctx.tool_call_id,
               payload_hash=payload_hash({"amount": amount}, KEY))
    ], due=time.time_ns())
    print("paid", flush=True)
    await asyncio.Event().wait()
    return "never"

async def main() -> None:
    steps = StepPersistence(store=FileStepStore(folder / "steps"))
    first = await payer().run("pay", conversation_id="conversation-1", capabilities=[steps])
    steps = StepPersistence(store=FileStepStore(folder / "steps"))
    history = first.all_messages()
    agent = payer(pay_and_hang)
    async with agent.iter("pay again", message_history=history, capabilities=[steps]) as running:
        async for _ in running:
            (folder / "own.json").write_bytes(ModelMessagesTypeAdapter.dump_json(running.all_messages()))

asyncio.run(main())
'''


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a process that was killed with SIGKILL while its tool was running."""
    folder = tmp_path_factory.mktemp("killed")
    agent = subprocess.Popen([sys.executable, "-c", AGENT, str(folder)], stdout=subprocess.PIPE, text=True)
    try:
        assert agent.stdout is not None
        assert agent.stdout.readline() == "paid\n"
    finally:
        agent.kill()
        agent.wait()
        agent.stdout.close()
    return folder


def audited(stored: object, left: Path, with_ledger: bool = True) -> HistoryAudit:
    ledger = open_ledger(f"sqlite:///{left}/ledger.sqlite")
    try:
        return audit_history(
            stored,  # type: ignore[arg-type]
            contract={**CONTRACT, "conversation_id": CONVERSATION},
            ledger=ledger if with_ledger else None,
            config=Config(hash_key=KEY),
        )
    finally:
        ledger.close()


def found(audit: HistoryAudit) -> list[str]:
    return [finding.value for finding in audit.findings]


def test_a_store_that_keeps_every_step_shows_the_call_that_was_cut_off(left: Path) -> None:
    assert found(audited(left / "own.json", left)) == ["interrupted_tool", "missing_outcome_receipt"]


def test_a_store_of_settled_steps_looks_complete_and_only_the_ledger_knows_better(left: Path) -> None:
    """The harness keeps a snapshot when a step has ended; the last step never did."""
    store = FileStepStore(left / "steps")
    assert found(audited(store, left, with_ledger=False)) == []
    audit = audited(store, left)
    assert found(audit) == ["missing_outcome_receipt"]
    assert "order-17" in audit.explanation


def test_inside_an_event_loop_the_store_is_awaited(left: Path) -> None:
    store, terms = FileStepStore(left / "steps"), {**CONTRACT, "conversation_id": CONVERSATION}
    assert run(audit_step_store(store, contract=terms, config=Config(hash_key=KEY))).ready

    async def by_mistake() -> None:
        audit_history(store, contract=terms)

    with pytest.raises(TypeError, match="await audit_step_store"):
        run(by_mistake())


def test_a_snapshot_s_file_is_read_too(left: Path) -> None:
    snapshots = sorted((left / "steps").glob("*/snapshots/*.json"))
    assert snapshots
    assert found(audited(snapshots[-1], left, with_ledger=False)) == []


def test_a_run_may_be_named_and_a_stranger_has_no_snapshot(left: Path) -> None:
    store = FileStepStore(left / "steps")
    first = run(store.list_runs(conversation_id=CONVERSATION))[0]
    config = Config(hash_key=KEY)
    assert audit_history(store, contract=CONTRACT, run_id=first.run_id, config=config).ready
    with pytest.raises(UnreadableHistory, match="no snapshot"):
        audit_history(store, contract={**CONTRACT, "conversation_id": "conversation-9"}, config=config)
    with pytest.raises(TypeError, match="name the run, or the conversation"):
        audit_history(store, contract=CONTRACT, config=config)
