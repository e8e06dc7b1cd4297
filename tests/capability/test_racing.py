"""Two are after one intent at a time. One goes; the other is refused, and leaves nothing that accuses the first."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent

from counterfoil import current_operation
from counterfoil.facts import FROM_INTENT, Attempt, Transport
from counterfoil.ledger import open_ledger
from counterfoil.ledger.looking import look_up
from counterfoil.pydantic_ai import Counterfoil
from counterfoil.reading.hashing import fingerprint
from counterfoil.verdicts import Finding
from tests.capability.agents import Watched, call, calls
from tests.capability.test_guard import pays, returns

PAY = call("pay", order="order-7")


@pytest.mark.parametrize("is_watched", [False, True])
def test_who_is_refused_while_the_first_still_sends_makes_no_unsafe_retry_of_it(
    is_watched: bool, tmp_path: Path
) -> None:
    """What the refused one knows is that somebody set out. It states that; the key is the sender's own to show."""
    ledger, entered, leave = f"sqlite:///{tmp_path}/ledger.db", asyncio.Event(), asyncio.Event()

    async def pay(order: str) -> dict[str, str]:
        operation = current_operation()
        assert operation is not None
        assert operation.idempotency_key
        entered.set()
        await leave.wait()
        return {"id": "ch_1"}

    def shop() -> Agent[Any, Any]:
        capability = Counterfoil[Any](ledger=ledger)
        agent = (
            Watched().agent(calls([PAY]), capability) if is_watched else Agent(calls([PAY]), capabilities=[capability])
        )
        agent.tool_plain(pay, name="pay", metadata=pays())
        return agent

    async def race() -> list[tuple[str, Any]]:
        first = asyncio.ensure_future(shop().run("go"))
        await entered.wait()
        second = await shop().run("go")
        leave.set()
        return [*returns((await first).all_messages()), *returns(second.all_messages())]

    (won, result), (lost, words) = asyncio.run(race())
    assert (won, result, lost) == ("success", {"id": "ch_1"}, "failed")
    assert "nobody knows whether it was done" in words
    known = look_up(open_ledger(ledger), "order-7")
    assert known is not None
    assert (known.verdict, known.findings, known.effect_refs) == ("verified_applied", (), ("ch_1",))


def test_nor_do_the_requests_of_the_first_that_are_seen_afterwards(tmp_path: Path) -> None:
    """The request below the tool has a span, a name and a key of its own."""
    ledger = open_ledger(f"sqlite:///{tmp_path}/ledger.db")
    entered, leave = asyncio.Event(), asyncio.Event()

    async def pay(order: str) -> dict[str, str]:
        entered.set()
        await leave.wait()
        return {"id": "ch_1"}

    def shop() -> Agent[Any, Any]:
        agent = Watched().agent(calls([PAY]), Counterfoil[Any](ledger=f"sqlite:///{tmp_path}/ledger.db"))
        agent.tool_plain(pay, name="pay", metadata=pays())
        return agent

    async def race() -> None:
        first = asyncio.ensure_future(shop().run("go"))
        await entered.wait()
        await shop().run("go")
        leave.set()
        await first

    asyncio.run(race())
    known = look_up(ledger, "order-7")
    assert known is not None
    sent = Attempt(
        operation_id="order-7",
        attempt_id="a request's span",
        observed_at=max(fact.observed_at for fact in known.operation.facts),
        transport=Transport.SUCCESS,
        idempotency_key=fingerprint("key-7", None),
        key_scope=FROM_INTENT,
    )
    ledger.add([sent], due=0)
    known = look_up(ledger, "order-7")
    assert known is not None
    assert Finding.UNSAFE_RETRY not in known.findings


RACER = """
import os, sys
from pydantic_ai import Agent
from counterfoil.pydantic_ai import Counterfoil
from tests.capability.agents import call, calls

agent = Agent(calls([call("pay", order="order-7")]), capabilities=[Counterfoil(guard="enforce", ledger=sys.argv[1])])

@agent.tool_plain(metadata={"counterfoil": {"operation_id": "order", "effect_ref": "id"}})
def pay(order: str) -> dict[str, str]:
    os.write(1, b"paid\\n")
    return {"id": "ch_1"}

start, signal = os.pipe()
racers = []
for _ in range(4):
    if not (racer := os.fork()):
        os.close(signal)
        os.read(start, 1)
        os._exit(0 if agent.run_sync("go").output == "done" else 1)
    racers.append(racer)
os.close(signal)
sys.exit(max(os.waitpid(racer, 0)[1] for racer in racers))
"""


def test_of_several_processes_that_race_for_one_intent_one_goes(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RACER, f"sqlite:///{tmp_path}/ledger.db"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "paid\n"), done.stderr
