"""A guard's look at the target before a repeat. The probe is the same as a worker's, and knows the call's arguments."""

from __future__ import annotations

import inspect
import time
from collections.abc import Mapping
from functools import partial
from typing import Any

import anyio
import anyio.to_thread

from counterfoil.config import ProbeConfig
from counterfoil.facts import Effect
from counterfoil.probing.asking import ASKING
from counterfoil.probing.looks import checked, looks
from counterfoil.probing.question import Answer, CannotTell, Probe, Question
from counterfoil.probing.resolving import contract_of, function, probe_of
from counterfoil.pydantic_ai.calls import Call
from counterfoil.pydantic_ai.declaring import Declared, complain
from counterfoil.stated import Stated, key_of

TIMEOUT_S = 10.0
"""How long a probe of the code's own may take, in seconds; after that it has said nothing."""


async def looked(declared: Declared, call: Call, stated: Stated, args: Mapping[str, Any]) -> list[Effect]:
    """What the target holds now, as facts; none without a probe, and none from one that can't tell. Never raises."""
    try:
        probe, timeout_s = _resolved(declared.probe)
        if probe is None:
            return []
        question = _question(call, stated, args)
        asked_at = time.time_ns()
        answer = await _asked(probe, question, timeout_s)
        if isinstance(answer, CannotTell):
            complain(call.tool, f"its probe said nothing: {answer.why}")
            return []
        contract = None if declared.tool.expect is None else contract_of(declared.tool.expect)
        lag_s = max(declared.probe_lag_s, declared.tool.settle_after_s or 0.0)
        return looks(question, answer, asked_at=asked_at, answered_at=time.time_ns(), lag_s=lag_s, contract=contract)
    except Exception as error:
        complain(call.tool, f"its probe failed: {type(error).__name__}")
        return []


def _resolved(probe: object) -> tuple[Probe | None, float]:
    if isinstance(probe, ProbeConfig):
        return probe_of(probe), probe.pace.timeout_s
    if isinstance(probe, str):
        return function(probe), TIMEOUT_S
    return probe if callable(probe) else None, TIMEOUT_S


def _question(call: Call, stated: Stated, args: Mapping[str, Any]) -> Question:
    """Looking at the key here doesn't count as using it."""
    return Question(
        operation_id=call.operation_id,
        tool=call.tool,
        key=stated.key if stated.key is not None else key_of(stated.operation_id),
        request_hash=call.payload_hash,
        refs=tuple(stated.refs),
        intent_refs=() if call.intent_ref is None else (call.intent_ref,),
        arguments=args,
    )


async def _asked(probe: Probe, question: Question, timeout_s: float) -> Answer | CannotTell:
    """A coroutine is awaited on the agent's own loop, where its clients belong."""
    if not inspect.iscoroutinefunction(probe):
        ask = partial(ASKING.ask, probe, question, timeout_s)
        return await anyio.to_thread.run_sync(ask, abandon_on_cancel=True)
    with anyio.fail_after(timeout_s):
        return checked(await probe(question))
