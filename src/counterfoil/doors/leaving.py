"""Processes that leave without `atexit`: children of `multiprocessing`, Celery's workers, uvicorn under a signal.

What their operations came to is told, and handed to the exporters, when they say that they are done. A process that
is killed, or that calls `os._exit` by itself, says nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import wraps

from counterfoil.doors.asked import tell
from counterfoil.doors.pipelines import attached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


PATIENCE_S = 5.0
"""So long may telling and exporting take in all, where a collector doesn't answer; what is still under way then is lost
with the process."""


def leave(*_args: object, **_kwargs: object) -> None:
    """Tell what is known and have it exported, with all that the host's own exporters hold. Never raises."""
    try:
        last = threading.Thread(target=_tell_and_flush, name="counterfoil-leave", daemon=True)
        last.start()
        last.join(PATIENCE_S)
    except Exception as trouble:
        tell(trouble)


def _tell_and_flush() -> None:
    try:
        if not attached:
            return
        from opentelemetry import metrics
        from opentelemetry._logs import get_logger_provider

        from counterfoil.processor import settle_all

        settle_all()
        for provider in (*attached, get_logger_provider(), metrics.get_meter_provider()):
            if hasattr(provider, "force_flush"):
                provider.force_flush()
    except Exception as trouble:
        tell(trouble)


def _children(util: ModuleType) -> None:
    """`multiprocessing.util`: a forked child runs finalizers and then leaves by `os._exit`."""
    util.register_after_fork(leave, lambda _: util.Finalize(None, leave, exitpriority=0))


def _celery(signals: ModuleType) -> None:
    """`celery.signals`: a pool's process leaves by `os._exit` after this signal."""
    signals.worker_process_shutdown.connect(leave, weak=False)


def _uvicorn(server: ModuleType) -> None:
    """`uvicorn.server`: when the last request is served, a signal that it was stopped by is raised again."""
    original = server.Server.shutdown

    @wraps(original)
    async def shutdown(self: Any, *args: Any, **kwargs: Any) -> None:
        await original(self, *args, **kwargs)
        leave()

    server.Server.shutdown = shutdown


HOOKS: Mapping[str, Callable[[ModuleType], None]] = {
    "multiprocessing.util": _children,
    "celery.signals": _celery,
    "uvicorn.server": _uvicorn,
}
