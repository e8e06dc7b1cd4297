"""Asking targets from inside an agent, where that is switched on: on a thread of its own, which no exit waits for."""

from __future__ import annotations

import threading
from collections.abc import Callable

from counterfoil.config import Config
from counterfoil.ledger import Ledger
from counterfoil.probing.prober import Prober

EVERY_S = 1.0
"""How often it looks for what is due, in seconds."""


class Background:
    """Begins at the first `wake`. A fork leaves its thread to the parent; the child makes a new one of these."""

    def __init__(self, config: Config, ledger: Ledger, on_fault: Callable[[Exception], None]) -> None:
        self.prober = Prober(config, ledger, on_fault)
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        if self._thread is None and not self._stopped.is_set():
            self._thread = threading.Thread(target=self._run, name="counterfoil-prober", daemon=True)
            try:
                self._thread.start()
            except RuntimeError:  # no thread can be had: a worker asks
                self._stopped.set()

    def stop(self) -> None:
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.wait(EVERY_S):
            self.prober.tick()
        self.prober.stop()
