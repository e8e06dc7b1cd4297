"""agent-once, a guard in the path: the same call runs once, and a call that failed midway is not run again.

`python -m prove.beside.once_guard PLANS WIRE COHORT KIND DESK` is a process of agents whose tools are behind it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from once import Once, Record, Status, make_key
from once.integrations.pydantic_ai import once_tool
from pydantic_ai import Agent
from pydantic_ai.exceptions import ToolFailed

from prove import plan as plans
from prove.agents.__main__ import main
from prove.agents.clerk import clerk, running, with_each
from prove.agents.client import Client, Run
from prove.beside.answers import Answer, Contender
from prove.plan import Plan

STORE = "once.db"


def run(folder: Path) -> Run:
    """Agents whose tools are wrapped. The scope is the conversation, whose id each run brings."""

    @cache  # made in the process that uses it, after any fork
    def guarded() -> Agent[Client, str]:
        return clerk(with_each(once_tool(Once(folder / STORE, unknown_on=(TimeoutError, ToolFailed)))))

    return running(guarded)


def answers(folder: Path) -> Mapping[str, Answer]:
    """Done is once; what is unknown, or pending after all is over, is to be looked into."""
    guard = Once(folder / STORE)
    found = {}
    for name, plan in plans.by_operation(plans.read(folder / "plans.jsonl")).items():
        records = [
            record for amount in (plan.amount, plan.amount + 1) if (record := guard.get(_key(plan, name, amount)))
        ]
        if records:
            found[name] = _answer(records)
    guard.close()
    return found


def _key(plan: Plan, name: str, amount: int) -> str:
    return make_key(f"make_{plan.resource}", {"reference": name, "amount": amount}, scope=plan.name)


def _answer(records: list[Record]) -> Answer:
    done = [json.loads(one.result or "{}") for one in records if one.status is Status.DONE]
    if len({made.get("id") for made in done}) > 1:
        return Answer.TWICE
    return Answer.ONCE if len(done) == len(records) else Answer.AMISS


CONTENDER = Contender(
    "agent-once",
    "agent-once",
    "`once_tool` around each tool of the same agents, with its SQLite store, the conversation as scope, and a missing "
    "answer as unknown; no `verify`; keys are the agents' own. Done is once, two calls done with two references are "
    "twice, unknown or pending is something wrong.",
    "Keeps effects from happening: twin calls and calls of a resumed run are not sent again.",
    "Sees a tool's call from outside: retries of the HTTP client below, and proxies, pass it by.",
    answers,
)

if __name__ == "__main__":
    main(run)
