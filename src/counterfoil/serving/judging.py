"""The judge's own thread: what is due in the ledger is judged and told, whoever began it and whoever took it in."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from counterfoil.book.durable import DurableBook
from counterfoil.telling.meters import Meters
from counterfoil.telling.teller import Troubles, log

EVERY_S = 0.5
"""How often the thread looks for what is due, in seconds."""

COUNT_EVERY_S = 5.0
"""How often what is open in the whole ledger is counted, in seconds."""

LONGEST_WAIT_S = 30.0
"""After verdicts did not arrive the thread waits twice as long each time, and so long at most, in seconds."""

STUCK_AFTER_S = 120.0
"""A thread that was not back from a look for so long is taken for stuck, in seconds."""


class Judging:
    """Looks until it is stopped. Whatever goes wrong in one look is counted, said once, and tried again."""

    def __init__(
        self, book: DurableBook, meters: Meters, troubles: Troubles, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._book = book
        self._meters = meters
        self._troubles = troubles
        self._clock = clock
        self._stop = threading.Event()
        self._looked_at = clock()
        self._counted_at = clock() - COUNT_EVERY_S
        self._failures = 0
        self._thread = threading.Thread(target=self._run, name="counterfoil-judge", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive() and self._clock() - self._looked_at < STUCK_AFTER_S

    def stop(self, patience_s: float) -> None:
        """Let the look that is under way come to its end, and take one more."""
        self._stop.set()
        self._thread.join(patience_s)
        if not self._thread.is_alive():
            self.look()

    def look(self) -> None:
        """One look. Never raises."""
        try:
            self._book.due()
            if self._clock() - self._counted_at >= COUNT_EVERY_S:
                self._book.take_over()
                self._counted_at = self._clock()
            self._meters.judged()
            self._failures = 0
        except Exception as error:
            if not self._failures:
                log.warning("%s", error)
            self._failures += 1
            self._troubles.had("judging", error)
        self._looked_at = self._clock()

    def _run(self) -> None:
        while not self._stop.wait(self._pause()):
            self.look()

    def _pause(self) -> float:
        return min(EVERY_S * float(2 ** min(self._failures, 10)), LONGEST_WAIT_S)
