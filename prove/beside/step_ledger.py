"""The ledger of tool effects that `StepPersistence` of the Pydantic AI harness keeps: started, completed or failed.

`python -m prove.beside.step_ledger PLANS WIRE COHORT KIND DESK` is a process of agents that have it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial, wraps
from pathlib import Path

from pydantic_ai import RunContext
from pydantic_ai_harness import StepPersistence
from pydantic_ai_harness.step_persistence import SqliteStepStore, ToolEffectRecord, annotate_tool_effect

from prove import plan as plans
from prove.agents.__main__ import main
from prove.agents.clerk import Made, Make, clerk, running, with_each
from prove.agents.client import Client, Run
from prove.beside.answers import Answer, Contender

STORE = "steps.db"


def run(folder: Path) -> Run:
    """Agents with the capability, whose tools say what they write, as its pages ask of tools that write."""
    store = SqliteStepStore(database=folder / STORE)
    agent = clerk(with_each(partial(_annotated, store)), [StepPersistence(store=store)])
    return running(lambda: agent)


def _annotated(store: SqliteStepStore, make: Make) -> Make:
    @wraps(make)
    async def annotated(ctx: RunContext[Client], reference: str, amount: int) -> Made:
        await annotate_tool_effect(store, ctx, idempotency_key=reference)
        made = await make(ctx, reference, amount)
        await annotate_tool_effect(store, ctx, effect_summary=str(made.get("id", "")))
        return made

    return annotated


def answers(folder: Path) -> Mapping[str, Answer]:
    """Two completed calls that wrote two objects are twice; a call that failed or never ended is to be looked into."""
    records: dict[str, list[ToolEffectRecord]] = {}
    for name, record in asyncio.run(_records(folder)):
        records.setdefault(name, []).append(record)
    return {name: _answer(some) for name, some in records.items()}


async def _records(folder: Path) -> list[tuple[str, ToolEffectRecord]]:
    store, known = SqliteStepStore(database=folder / STORE), plans.by_operation(plans.read(folder / "plans.jsonl"))
    found = []
    for life in await store.list_runs():
        plan = known[life.conversation_id or ""]
        for number in (0, 1):
            record = await store.get_tool_effect(run_id=life.run_id, tool_call_id=f"call_{plan.number}_{number}")
            if record is not None:
                found.append((record.idempotency_key or plan.name, record))
    return found


def _answer(records: list[ToolEffectRecord]) -> Answer:
    written = {one.effect_summary for one in records if one.status == "completed" and one.effect_summary}
    if len(written) > 1:
        return Answer.TWICE
    if any(one.status != "completed" for one in records):
        return Answer.AMISS
    return Answer.ONCE


CONTENDER = Contender(
    "step ledger",
    "pydantic-ai-harness",
    "`StepPersistence` with its SQLite store, in the path of the same agents; tools annotate their effect with the "
    "operation's name before they send, and with the provider's reference after. Two completed calls with two "
    "references are twice; failed, or started and never ended, is something wrong; completed is once.",
    "Survives SIGKILL by itself, and says which call was under way; keeps snapshots from which the run goes on.",
    "Sees a tool's call from outside: what the HTTP client below did, and what became of a promise, isn't in it.",
    answers,
)

if __name__ == "__main__":
    main(run)
