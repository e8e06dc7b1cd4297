"""What a judge takes at most. Everything that strangers may make large has its bound here."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from counterfoil.serving.answers import Refused, Why


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """``body``: bytes of a request, before and after it is unpacked. ``record``: characters of one fact. ``attributes``
    of one log record. ``rate``: facts a second, 0 for any number. ``waiting``: requests that are worked on at once; of
    more, the sender is told to come back. Memory is bounded by about ten times ``body`` for each that is waiting.
    ``patience_s``: how long a body may take to arrive, and how long what is under way may take when the judge ends."""

    body: int = 16 * 1024 * 1024
    record: int = 64 * 1024
    attributes: int = 64
    rate: float = 0.0
    waiting: int = 16
    patience_s: float = 10.0


class Rate:
    """So many facts a second. A request is let in while nothing is owed, and what it brings is owed from then on, so
    that one larger than a second's worth can pass as well."""

    def __init__(self, a_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._a_second = a_second
        self._clock = clock
        self._lock = threading.Lock()
        self._owed = 0.0
        self._at = clock()

    def spend(self, facts: int) -> None:
        """Raises `Refused`, with the time after which it is worth coming back."""
        if not self._a_second:
            return
        with self._lock:
            now = self._clock()
            self._owed = max(0.0, self._owed - (now - self._at) * self._a_second)
            self._at = now
            if self._owed >= 1.0:
                raise Refused(Why.TOO_FAST, self._owed / self._a_second)
            self._owed += facts
