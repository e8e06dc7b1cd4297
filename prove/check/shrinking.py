"""The smallest plan that still goes wrong: faults are taken away as long as it does. Pure; others run the plans."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from prove.plan import Plan

Fails = Callable[[Sequence[Plan]], Sequence[bool]]
"""Carries out plans, all at once, and says of each whether it went wrong in the same way."""

_PLAIN: tuple[tuple[str, Any], ...] = (
    ("framework", "pydantic"),
    ("telemetry", "whole"),
    ("webhook", "none"),
    ("look", "none"),
    ("fate", "done"),
    ("resumed", "none"),
    ("kill", "none"),
    ("contract", "honoured"),
    ("habit", "honest"),
    ("resource", "payments"),
)
MAX_ROUNDS = 8


def size(plan: Plan) -> int:
    """How much of a plan is out of the ordinary."""
    odd = [name for name, plain in _PLAIN if getattr(plan, name) != plain]
    return len(odd) + sum(fault != "ok" for fault in plan.wire)


def smaller(plan: Plan) -> list[Plan]:
    """All plans with one thing less out of the ordinary, each under a number of its own."""
    found = [replace(plan, **{name: plain}) for name, plain in _PLAIN if getattr(plan, name) != plain]
    found += [
        replace(plan, wire=(*plan.wire[:place], "ok", *plan.wire[place + 1 :]))
        for place, fault in enumerate(plan.wire)
        if fault != "ok"
    ]
    if plan.kill == "none":
        found = [one for one in found if one.resumed == "none"]
    return [replace(one, number=number) for number, one in enumerate(found)]


def shrunk(plan: Plan, fails: Fails) -> Plan | None:
    """The smallest plan found that still goes wrong; None where even the plan itself doesn't any more."""
    plan = replace(plan, number=0)
    if not fails([plan])[0]:
        return None
    for _ in range(MAX_ROUNDS):
        candidates = smaller(plan)
        failing = [one for one, failed in zip(candidates, fails(candidates), strict=True) if failed]
        if not failing:
            break
        plan = replace(min(failing, key=size), number=0)
    return plan
