"""effect-ledger, a ledger in the path: an operation is claimed before it is sent, and sent again only if a person
decides so.

`python -m prove.beside.effect_executor PLANS WIRE COHORT KIND DESK` is a process of agents whose tools run inside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial, wraps
from pathlib import Path

from effect_ledger import EffectExecutor, Operation, OperationConflict
from pydantic_ai import Agent, RunContext
from pydantic_ai.exceptions import ToolFailed

from prove import plan as plans
from prove.agents.__main__ import main
from prove.agents.clerk import Made, Make, clerk, running, with_each
from prove.agents.client import Client, Run
from prove.beside.answers import Answer, Contender

STORE, SCOPE = "effects.db", "shop"


def run(folder: Path) -> Run:
    """Agents whose tools are executed by it. The operation's id is the caller's own reference, which outlives a run."""

    @cache  # made in the process that uses it, after any fork
    def claiming() -> Agent[Client, str]:
        return clerk(with_each(partial(_inside, EffectExecutor(folder / STORE, scope=SCOPE))))

    return running(claiming)


def _inside(executor: EffectExecutor, make: Make) -> Make:
    @wraps(make)
    async def inside(ctx: RunContext[Client], reference: str, amount: int) -> Made:
        async def handler(operation: Operation) -> Made:
            return await make(ctx, reference, amount)

        request = {"reference": reference, "amount": amount}
        try:
            done = await executor.aexecute(reference, f"{ctx.deps.plan.resource}:v1", request, handler)
        except OperationConflict as conflict:
            raise ToolFailed(str(conflict)) from None
        if done.state != "completed":
            raise ToolFailed(f"unresolved: {done.response()['next_action']}")
        made: Made = done.result
        return made

    return inside


def answers(folder: Path) -> Mapping[str, Answer]:
    """Completed is once; what is unresolved after all is over is to be looked into."""
    executor = EffectExecutor(folder / STORE, scope=SCOPE)
    known = {name: executor.get(name) for name in plans.by_operation(plans.read(folder / "plans.jsonl"))}
    return {
        name: Answer.ONCE if operation.state == "completed" else Answer.AMISS
        for name, operation in known.items()
        if operation is not None
    }


CONTENDER = Contender(
    "effect-ledger",
    "effect-ledger",
    "`EffectExecutor` around each tool of the same agents, with its SQLite store, one scope, and the operation's name "
    "as its id; keys are the agents' own; nobody resolves or recovers. Completed is once, in flight or "
    "indeterminate is something wrong. A conflict is told to the model, and isn't in its store.",
    "Keeps effects from happening: an operation that was begun is not begun again, by twin calls, by resumed runs or "
    "with another payload, until a person has decided; and it says which ones wait for that.",
    "Sees a tool's call from outside: retries of the HTTP client below, and proxies, pass it by. A completed call "
    "isn't asked for what it did.",
    answers,
)

if __name__ == "__main__":
    main(run)
