"""Asking the target itself: a plain callable of the user's, run in bounds. What it can't say stays in doubt."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import anyio
import anyio.to_thread

from counterfoil.facts import PROBE, Effect
from counterfoil.pydantic_ai.calls import Call
from counterfoil.pydantic_ai.declaring import Declared, complain
from counterfoil.stated import MAX_REFS, Stated

TIMEOUT_S = 10.0
"""How long a probe may take, in seconds; after that it has said nothing. A synchronous one is left to itself."""

Found = Sequence[str] | None
Probe = Callable[[Stated, Mapping[str, Any]], Found | Awaitable[Found]]
"""Given the operation and the call's arguments: the target's names for what it holds, an empty list where it is certain
that it holds nothing, and None where it can't tell."""


async def looked(declared: Declared, call: Call, stated: Stated, args: Mapping[str, Any]) -> list[Effect]:
    """What the target holds now, as facts; none without a probe, and none from one that can't tell."""
    try:
        probe = _resolved(declared.probe)
        if probe is None:
            return []
        asked_at = time.time_ns()
        with anyio.fail_after(TIMEOUT_S):
            found = await _asked(probe, stated, args)
        return _facts(call, found, asked_at, declared.probe_lag_s)
    except Exception as error:
        complain(call.tool, f"its probe failed: {type(error).__name__}")
        return []


def _resolved(probe: object) -> Probe | None:
    if isinstance(probe, str):
        module, _, name = probe.partition(":")
        probe = getattr(import_module(module), name)
    return probe if callable(probe) else None


async def _asked(probe: Probe, stated: Stated, args: Mapping[str, Any]) -> Found:
    if inspect.iscoroutinefunction(probe):
        return await probe(stated, args)  # type: ignore[no-any-return]
    answer = await anyio.to_thread.run_sync(partial(probe, stated, args), abandon_on_cancel=True)
    return await answer if inspect.isawaitable(answer) else answer


def _facts(call: Call, found: Found, asked_at: int, lag_s: float) -> list[Effect]:
    """What was not there is known to have been missing when the look began."""
    if found is None:
        return []
    if isinstance(found, str):
        found = [found]
    if not found:
        return [
            Effect(
                operation_id=call.operation_id,
                observed_at=asked_at,
                source=PROBE,
                count=0,
                authoritative=True,
                settle_after_s=lag_s or None,
            )
        ]
    return [
        Effect(
            operation_id=call.operation_id,
            observed_at=time.time_ns(),
            source=PROBE,
            effect_ref=ref,
            authoritative=True,
        )
        for ref in found[:MAX_REFS]
    ]
