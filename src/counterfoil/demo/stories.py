"""What can happen to one tool call. Each story is a function, its name is the story, its task is what was asked for.

A story plans what goes wrong at the provider, lets the agent work, and says who looks afterwards, if anybody does.
None of them says what the verdict should be.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from counterfoil.demo.provider.faults import Fault
from counterfoil.demo.world import Task, World

Story = Callable[[World, Task], Awaitable[None]]

SHORT_S = 0.5
"""The patience of a client that is made to give up, in seconds. What it waits for is held until it has done so."""


async def clean_run_with_receipt(world: World, task: Task) -> None:
    await world.agent_does(task)


async def read_only(world: World, task: Task) -> None:
    await world.agent_does(task, task)


async def response_lost(world: World, task: Task) -> None:
    world.provider.plan(task.reference, Fault.LOSE_RESPONSE)
    await world.agent_does(task)
    world.look(task)


async def request_lost(world: World, task: Task) -> None:
    world.provider.plan(task.reference, Fault.LOSE_REQUEST)
    await world.agent_does(task)
    world.look(task)


async def key_ignored_by_provider(world: World, task: Task) -> None:
    world.provider.plan(task.reference, Fault.LOSE_RESPONSE, ignores_keys=True)
    await world.agent_does(task, attempts=2)
    world.look(task)


async def new_key_on_retry(world: World, task: Task) -> None:
    world.provider.plan(task.reference, Fault.LOSE_RESPONSE)
    await world.agent_does(task, attempts=2, new_key_per_attempt=True)


async def new_key_and_two_counted(world: World, task: Task) -> None:
    world.provider.plan(task.reference, Fault.LOSE_RESPONSE)
    await world.agent_does(task, attempts=2, new_key_per_attempt=True)
    world.look(task)


async def new_key_and_one_counted(world: World, task: Task) -> None:
    world.provider.plan(task.reference, Fault.LOSE_REQUEST)
    await world.agent_does(task, attempts=2, new_key_per_attempt=True)
    world.look(task)


async def ok_without_an_object(world: World, task: Task) -> None:
    world.provider.plan(task.reference, Fault.EMPTY)
    await world.agent_does(task)
    world.look(task)


async def accepted_then_dropped(world: World, task: Task) -> None:
    world.provider.plan(task.reference, Fault.DROP)
    await world.agent_does(task)
    world.look(task)


async def accepted_and_pending(world: World, task: Task) -> None:
    world.provider.plan(task.reference, Fault.PEND)
    await world.agent_does(task)


async def retried_while_in_flight(world: World, task: Task) -> None:
    world.provider.plan(task.reference, Fault.HOLD)
    await world.agent_does(task, attempts=2, patience_s=SHORT_S)
    world.provider.release(task.reference)
    world.look(task)


async def key_with_another_amount(world: World, task: Task) -> None:
    world.provider.plan(task.reference, Fault.LOSE_RESPONSE)
    await world.agent_does(task, task.but(amount=5_900))


async def ticket_in_wrong_project(world: World, task: Task) -> None:
    world.provider.plan(task.reference, Fault.MISROUTE)
    await world.agent_does(task)
    world.look(task, contract=lambda ticket: ticket["project"] == task.arguments["project"])


async def timeout_and_nobody_looks(world: World, task: Task) -> None:
    world.provider.plan(task.reference, Fault.HOLD)
    await world.agent_does(task, patience_s=SHORT_S)
    world.provider.release(task.reference)


def _charge(order: str) -> Task:
    return Task("charge_card", order, {"amount": 4_900})


STORIES: tuple[tuple[Story, Task], ...] = (
    (clean_run_with_receipt, _charge("order-1")),
    (read_only, Task("find_payments", "order-1")),
    (response_lost, _charge("order-2")),
    (request_lost, _charge("order-3")),
    (retried_while_in_flight, _charge("order-4")),
    (key_ignored_by_provider, _charge("order-5")),
    (new_key_on_retry, _charge("order-6")),
    (new_key_and_one_counted, _charge("order-7")),
    (new_key_and_two_counted, _charge("order-8")),
    (key_with_another_amount, _charge("order-9")),
    (ok_without_an_object, _charge("order-10")),
    (timeout_and_nobody_looks, _charge("order-11")),
    (ticket_in_wrong_project, Task("create_ticket", "case-1", {"project": "billing"})),
    (accepted_and_pending, Task("send_mail", "letter-1", {"to": "customer"})),
    (accepted_then_dropped, Task("send_mail", "letter-2", {"to": "customer"})),
)
"""Every story with its task, in the order in which they are told."""
