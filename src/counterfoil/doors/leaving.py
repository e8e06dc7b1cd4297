"""Processes that leave without `atexit`: children of `multiprocessing`, Celery's workers, uvicorn under a signal.

What their operations came to is told, and handed to the exporters, when they say that they are done. A process that
is killed, or that calls `os._exit` by itself, says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps

from counterfoil.doors.asked import tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def leave(*_args: object, **_kwargs: object) -> None:
    """Tell what is known and hand it on. Takes at most ten seconds, and never raises."""
    try:
        from counterfoil.processor import settle_all

        settle_all()
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
