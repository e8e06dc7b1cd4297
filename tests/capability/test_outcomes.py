"""Every way in which a tool's body ends is told apart."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from pydantic_ai import CallDeferred, DeferredToolRequests, ModelRetry
from pydantic_ai.capabilities import Hooks
from pydantic_ai.exceptions import ApprovalRequired, SkipToolExecution, ToolFailed

from counterfoil.pydantic_ai import Counterfoil
from tests.capability.agents import Watched, call, calls

PAY = {"counterfoil": {"operation_id": "order"}}


def ended(body: Callable[..., Any], **more: Any) -> tuple[str, str]:
    """The word on the tool's span, and the verdict."""
    watched = Watched()
    agent = watched.agent(calls([call("pay", order="order-7")]), Counterfoil(), output_type=[str, DeferredToolRequests])
    agent.tool_plain(body, name="pay", metadata=PAY, **more)
    with suppress(RuntimeError, TimeoutError):
        agent.run_sync("go")
    [said] = watched.said("pay")
    return said["counterfoil.tool.outcome"], watched.verdicts()["order-7"]


def raising(error: BaseException) -> Callable[..., Any]:
    async def body(order: str) -> str:
        raise error

    return body


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (ModelRetry("again"), "retry_asked"),
        (ToolFailed("declined"), "failed"),
        (ApprovalRequired(), "deferred"),
        (CallDeferred(), "deferred"),
        (RuntimeError("502"), "exception"),
        (TimeoutError(), "timed_out"),
    ],
)
def test_an_exception_says_how_it_ended_and_nothing_of_the_effect(error: BaseException, word: str) -> None:
    assert ended(raising(error)) == (word, "indeterminate")


def test_a_body_that_comes_back_is_a_success_without_a_receipt() -> None:
    assert ended(lambda order: "done") == ("success", "indeterminate")


@pytest.mark.parametrize(("stage", "verdict"), [("accepted", "indeterminate"), ("applied", "verified_applied")])
def test_a_tool_that_gives_back_the_name_of_a_job_says_that_it_is_a_promise(stage: str, verdict: str) -> None:
    watched = Watched()
    agent = watched.agent(calls([call("pay", order="order-7")]), Counterfoil())
    metadata = {"counterfoil": {"operation_id": "order", "effect_ref": "job", "effect_stage": stage}}
    agent.tool_plain(lambda order: {"job": "job_1"}, name="pay", metadata=metadata)
    agent.run_sync("go")
    assert watched.verdicts()["order-7"] == verdict


def test_a_tool_s_own_time_limit_is_told_from_a_retry_that_it_asks_for() -> None:
    async def slow(order: str) -> str:
        await asyncio.Event().wait()
        return "never"

    assert ended(slow, timeout=0.01) == ("timed_out", "indeterminate")


def test_a_thread_that_is_left_to_itself_counts_as_out_of_time() -> None:
    leave = threading.Event()

    def slow(order: str) -> str:
        leave.wait(30)
        return "late"

    try:
        assert ended(slow, timeout=0.01) == ("timed_out", "indeterminate")
    finally:
        leave.set()


def test_a_tool_that_a_hook_skips_reported_nothing() -> None:
    hooks: Hooks[Any] = Hooks()

    @hooks.on.before_tool_execute
    async def skip(ctx: Any, *, call: Any, tool_def: Any, args: Any) -> Any:
        raise SkipToolExecution("known already")

    watched = Watched()
    agent = watched.agent(calls([call("pay", order="order-7")]), Counterfoil(), hooks)

    @agent.tool_plain(metadata=PAY)
    def pay(order: str) -> str:
        raise AssertionError("it is skipped")

    agent.run_sync("go")
    [said] = watched.said("pay")
    assert (said["counterfoil.tool.outcome"], said["counterfoil.reported"]) == ("skipped", "absent")


def test_a_run_that_is_cancelled_says_so_on_the_tool_that_was_running() -> None:
    watched = Watched()
    agent = watched.agent(calls([call("pay", order="order-7")]), Counterfoil())
    begun = asyncio.Event()

    @agent.tool_plain(metadata=PAY)
    async def pay(order: str) -> str:
        begun.set()
        await asyncio.Event().wait()
        return "never"

    async def cancelled() -> None:
        run = asyncio.ensure_future(agent.run("go"))
        await begun.wait()
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)

    asyncio.run(cancelled())
    [said] = watched.said("pay")
    assert said["counterfoil.tool.outcome"] == "cancelled"
    assert watched.verdicts() == {"order-7": "indeterminate"}


def test_a_definite_no_of_the_provider_is_believed_when_the_body_says_so() -> None:
    from counterfoil import current_operation

    async def refused(order: str) -> str:
        operation = current_operation()
        assert operation is not None
        operation.did_nothing()
        raise ToolFailed("card declined")

    assert ended(refused) == ("failed", "verified_not_applied")
