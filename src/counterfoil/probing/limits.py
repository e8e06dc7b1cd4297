"""How often a worker may ask one tool's probe, and one target: so many at once, and so many begun in a minute.

Each worker counts for itself, so that two of them may ask twice as often.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping

from counterfoil.config import Limit

MINUTE_S = 60.0


class Limits:
    """Grants by name. ``clock`` gives seconds that never go back. For one thread."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._out: Counter[str] = Counter()
        self._begun: dict[str, deque[float]] = {}

    def take(self, limits: Mapping[str, Limit]) -> bool:
        """Whether one more may begin under all of these names; then it counts under each of them."""
        now = self._clock()
        for name, limit in limits.items():
            begun = self._begun.setdefault(name, deque())
            while begun and begun[0] <= now - MINUTE_S:
                begun.popleft()
            if self._out[name] >= limit.at_once or len(begun) >= limit.per_minute:
                return False
        for name in limits:
            self._out[name] += 1
            self._begun[name].append(now)
        return True

    def give(self, names: Mapping[str, Limit]) -> None:
        """It is over."""
        self._out.subtract(list(names))
