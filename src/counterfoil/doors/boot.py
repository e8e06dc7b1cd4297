"""Arm the process: from now on every pipeline in it gets a processor before its first span."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from functools import wraps

from counterfoil.doors import agents, capturing, leaving
from counterfoil.doors.asked import has_options, set_options, settings, tell, wanted
from counterfoil.doors.pipelines import attached, once
from counterfoil.doors.post_import import after_import

TYPE_CHECKING = False
if TYPE_CHECKING:  # without the import of typing: this module is loaded at the start of every process
    from types import ModuleType
    from typing import Any

PRIVATE = "_counterfoil_private"
"""A `TracerProvider` class that says so is our own, for what we say ourselves, and is let be."""
REPORT = "_COUNTERFOIL_DOCTOR_REPORT"
"""The folder in which `counterfoil doctor -- …` waits for reports."""

_armed: list[str] = []
_lock = threading.Lock()


def arm(door: str, options: Mapping[str, str] | None = None) -> bool:
    """Watch for pipelines if the environment asks for it. True if the process is armed now, by whichever door.

    ``options`` are settings that stand above the environment's, by the same names. Never raises.
    """
    try:
        with _lock:
            set_options(options or {})
            if not wanted(settings()):
                return bool(_armed)
            if door in _armed:  # a virtual environment's .pth files are read twice
                return True
            _armed.append(door)
            if len(_armed) > 1:
                return True
        _watch()
    except Exception as trouble:  # a host starts, whatever we did wrong
        tell(trouble)
    return bool(_armed)


def armed_by() -> tuple[str, ...]:
    """The doors that this process was entered by, in order. Empty: it was not."""
    return tuple(_armed)


def attach(provider: Any) -> None:
    """Give a provider's pipeline its processor; where it has one already, nothing happens. Never raises."""
    try:
        if provider not in attached and not getattr(provider, PRIVATE, False):
            once(provider, lambda: _give(provider))
    except Exception as trouble:
        tell(trouble)


def _give(provider: Any) -> None:
    capturing.capture()
    from counterfoil.config import Config
    from counterfoil.processor import attach as attach_processor

    attach_processor(provider, Config.load(settings())[0] if has_options() else None)
    if REPORT in os.environ:
        from counterfoil.doors import witness

        witness.watch(provider, os.environ[REPORT], _armed)


def _watch() -> None:
    hooks: dict[str, Callable[[ModuleType], None]] = {
        "opentelemetry.sdk.trace": _watch_providers,
        "opentelemetry.util.http": capturing.capture,
        "pydantic_ai": agents.instrument,
        **leaving.HOOKS,
    }
    for module, hook in hooks.items():
        after_import(module, hook, tell)
    if folder := os.environ.get(REPORT):  # says that the process was entered, whether or not it builds a pipeline
        with open(f"{folder}/{os.getpid()}.json", "w", encoding="utf-8") as report:
            report.write("{}")


def _watch_providers(module: ModuleType) -> None:
    """Every pipeline, whoever builds it, is asked for a tracer before it has its first span.

    By then its processors are there, and so are the options of a configuration file. A provider that is handed around,
    a second one, a subclass and one that is being made when a door opens: all come by here.
    """
    provider = module.TracerProvider
    original = provider.get_tracer
    if hasattr(original, "_counterfoil"):
        return

    @wraps(original)
    def get_tracer(self: Any, *args: Any, **kwargs: Any) -> Any:
        attach(self)
        return original(self, *args, **kwargs)

    get_tracer._counterfoil = True  # type: ignore[attr-defined]
    provider.get_tracer = get_tracer
