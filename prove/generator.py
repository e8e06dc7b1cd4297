"""Plans out of a seed: the same seed makes the same plans, whatever else is made beside them."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from prove.plan import (
    ASYNC,
    FRAMEWORKS,
    KILLS,
    LOOKS,
    OTHERWISE_EVERY,
    RESOURCES,
    TELEMETRY,
    WEBHOOKS,
    WIRE,
    Plan,
)

KILLED_EVERY = 50
"""One operation in so many meets SIGKILL: each costs a process."""

FRAMEWORK_EVERY: Mapping[str, int] = {"mcp": 100, "openai": 200, "langgraph": 160}
"""One operation in so many is carried out by another agent than Pydantic AI's."""

DURABLE_AT, DURABLE_EVERY, DURABLE_SEEDS = 23, 1_500, 3
"""One operation in so many is carried out under DBOS, which costs two processes; and one of the first under every third
seed, so that it is met whether a run of 5,000 has one seed or many."""

_CONTRACTS = {"honoured": 30, "compared": 30, "ignored": 20, "expiring": 10, "scoped": 10}
_HABITS = {
    "honest": 34,
    "once": 12,
    "blind_retry": 12,
    "new_key": 10,
    "key_redrawn": 6,
    "key_reused": 6,
    "claimed": 6,
    "twins": 8,
    "failover": 4,
    "read": 2,
}
_TELEMETRY = dict.fromkeys(TELEMETRY, 5) | {"whole": 40, "shared": 8}


def plans(seed: int, operations: int) -> list[Plan]:
    """So many plans. Each is drawn from a generator of its own, so that any one of them can be made again alone."""
    return [plan(seed, number) for number in range(operations)]


def plan(seed: int, number: int) -> Plan:
    """The plan of one number under one seed."""
    dice = Random(f"{seed}/{number}")
    resource = dice.choice(RESOURCES)
    habit = _weighted(dice, _HABITS)
    killed = number % KILLED_EVERY == KILLED_EVERY - 1
    place = number + 331 * seed  # so that the rarest come under few seeds, too
    framework = next((name for name, every in FRAMEWORK_EVERY.items() if place % every == every // 2), FRAMEWORKS[0])
    framework = "dbos" if _is_durable(seed, number) else framework
    framework = FRAMEWORKS[0] if killed else framework
    plain = framework != FRAMEWORKS[0] or killed
    return Plan(
        seed=seed,
        number=number,
        resource=resource,
        contract="scoped" if habit == "failover" else _weighted(dice, _CONTRACTS),
        habit=dice.choice(("honest", "once")) if plain else habit,
        wire=_wire(dice, habit),
        fate=_fate(dice, resource),
        look=dice.choice(("none", "count")) if plain else dice.choices(LOOKS, (10, 6, 3, 1, 1, 1, 2))[0],
        webhook=dice.choices(WEBHOOKS, (8, 3, 1, 1, 1, 1))[0],
        telemetry="shared" if killed or framework == "dbos" else "whole" if plain else _weighted(dice, _TELEMETRY),
        framework=framework,
        kill=dice.choice(KILLS[1:]) if killed else "none",
        resumed=dice.choice(("nobody", "same_key", "new_key")) if killed else "none",
        amount=dice.randrange(100, 100_000),
    )


def _is_durable(seed: int, number: int) -> bool:
    return number % DURABLE_EVERY == DURABLE_AT and (number > DURABLE_AT or seed % DURABLE_SEEDS == 1)


def _fate(dice: Random, resource: str) -> str:
    """A promise may die, and anything may be made otherwise than it was asked for."""
    dies, otherwise = dice.random() < 0.2, dice.random() < 1 / OTHERWISE_EVERY
    return "dies" if dies and resource in ASYNC else "otherwise" if otherwise else "done"


def _wire(dice: Random, habit: str) -> tuple[str, ...]:
    """Bad habits show only where something goes wrong: they meet faults more often."""
    eager = habit in ("blind_retry", "new_key", "key_redrawn", "failover")
    first = dice.choice(WIRE[1:]) if dice.random() < (0.8 if eager else 0.4) else "ok"
    second = dice.choice(WIRE[1:]) if dice.random() < 0.2 else "ok"
    return (first, second)


def _weighted(dice: Random, weights: Mapping[str, int]) -> str:
    return dice.choices(tuple(weights), tuple(weights.values()))[0]
