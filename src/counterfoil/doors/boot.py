"""Arm the process: from now on every pipeline that is built in it gets a processor."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from counterfoil.doors.post_import import after_import

ENABLED = "COUNTERFOIL_ENABLED"
INSTRUMENT_PYDANTIC_AI = "COUNTERFOIL_INSTRUMENT_PYDANTIC_AI"
YES = ("true", "1", "yes", "on")
SDK = "opentelemetry.sdk.trace"
AGENT = "pydantic_ai.agent"

_armed: list[str] = []


def wanted(environ: Mapping[str, str], name: str = ENABLED) -> bool:
    """A switch is on for ``true`` (the only word that OpenTelemetry knows), and for 1, yes and on."""
    return environ.get(name, "").strip().lower() in YES


def arm(door: str, *, always: bool = False) -> bool:
    """Watch for pipelines if the environment asks for it. True if the process is armed now, by whichever door.

    ``always``: somebody asked for it in another way than by the environment.
    """
    try:
        if not always and not wanted(os.environ):
            return bool(_armed)
        _armed.append(door)
        if len(_armed) == 1:
            after_import(SDK, _watch_providers)
            if wanted(os.environ, INSTRUMENT_PYDANTIC_AI):
                after_import(AGENT, _instrument_agents)
    except Exception as trouble:  # a host starts, whatever we did wrong
        _tell(trouble)
    return bool(_armed)


def armed_by() -> tuple[str, ...]:
    """The doors that this process was entered by, in order. Empty: it was not."""
    return tuple(_armed)


def _watch_providers(module: ModuleType) -> None:
    """Every `TracerProvider`, whoever makes it, passes through its ``__init__``; so do subclasses and second ones."""
    provider = module.TracerProvider
    original = provider.__init__
    if getattr(original, "_counterfoil", False):
        return

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        _attach(self)

    __init__.__wrapped__ = original  # type: ignore[attr-defined]
    __init__._counterfoil = True  # type: ignore[attr-defined]
    provider.__init__ = __init__


def _attach(provider: Any) -> None:
    if getattr(provider, "_counterfoil_private", False):  # our own, for what we say
        return
    try:
        from counterfoil.processor import attach

        attach(provider)
    except Exception as trouble:
        _tell(trouble)


def _instrument_agents(module: ModuleType) -> None:
    """Turn Pydantic AI's instrumentation on for all agents; a choice that was already made stands."""
    agent = module.Agent
    if getattr(agent, "_instrument_default", None) is False:
        agent.instrument_all(True)


def _tell(trouble: Exception) -> None:
    """Once, in one line, without the trouble's own text, which could hold anything."""
    if not getattr(_tell, "told", False):
        _tell.told = True  # type: ignore[attr-defined]
        kind = type(trouble).__name__
        print(f"counterfoil: not attached ({kind}); run `counterfoil doctor`, or unset {ENABLED}", file=sys.stderr)
