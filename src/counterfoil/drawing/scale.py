"""Where on an axis of time each moment stands: in order, never on top of another, longer for longer waits.

The axis is not to scale: a call takes milliseconds, a webhook comes an hour later. A wait takes room by its logarithm,
and what the waits were is written beside the marks.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import log1p

SECOND = 1_000_000_000


def fitted(times: Sequence[int], *, apart: float, length: float) -> list[float]:
    """Positions from 0 to ``length`` at most, ``apart`` from each other at least. There must be room for that."""
    if len(times) < 2:
        return [0.0] * len(times)
    waits = [_weight(later - earlier) for earlier, later in pairwise(times)]
    spare = max(0.0, length - apart * len(waits))
    whole = sum(waits)
    steps = [apart + (spare * wait / whole if whole else spare / len(waits)) for wait in waits]
    return list(accumulate(steps, initial=0.0))


def growing(times: Sequence[int], *, apart: float, most: float) -> list[float]:
    """Positions from 0 on, ``apart`` to ``most`` from each other, however many there are."""
    waits = [_weight(later - earlier) for earlier, later in pairwise(times)]
    return list(accumulate((min(most, apart + 4 * wait) for wait in waits), initial=0.0))[: len(times)]


def after(nanoseconds: int) -> str:
    """How long after the first moment, in two units at most."""
    if nanoseconds < SECOND:
        return "0 s" if nanoseconds == 0 else f"+{max(1, nanoseconds // 1_000_000)} ms"
    seconds = nanoseconds / SECOND
    if seconds < 120:
        return f"+{seconds:.1f}".removesuffix(".0") + " s"
    whole = int(seconds)
    for size, unit, small, smaller in ((86_400, "d", 3_600, "h"), (3_600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            rest = whole % size // small
            return f"+{whole // size} {unit}" + (f" {rest} {smaller}" if rest and whole < 100 * size else "")
    return ""


def _weight(wait: int) -> float:
    return log1p(max(0, wait) / SECOND)
