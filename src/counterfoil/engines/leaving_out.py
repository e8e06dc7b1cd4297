"""What a job leaves out of what it reads: counted by workers, told by the driver after each micro-batch."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial

from pyspark import SparkContext
from pyspark.accumulators import Accumulator, AccumulatorParam
from pyspark.sql.streaming.listener import (
    QueryIdleEvent,
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
)

from counterfoil.engines.counters import Counters
from counterfoil.engines.lines import LeftOut


class _Adding(AccumulatorParam["Counter[str]"]):
    def zero(self, value: Counter[str]) -> Counter[str]:
        return Counter()

    def addInPlace(self, value1: Counter[str], value2: Counter[str]) -> Counter[str]:
        value1.update(value2)
        return value1


class Tally:
    """By cause, how much was left out since the job began. A task that runs again counts again."""

    def __init__(self, context: SparkContext) -> None:
        self._accumulator: Accumulator[Counter[str]] = context.accumulator(Counter(), _Adding())

    @property
    def noting(self) -> Callable[[LeftOut], None]:
        """What workers call; it can be sent to them."""
        return partial(_note, self._accumulator)

    @property
    def value(self) -> Mapping[str, int]:
        return dict(self._accumulator.value)


def _note(accumulator: Accumulator[Counter[str]], cause: LeftOut) -> None:
    accumulator.add(Counter({cause: 1}))


class Watching(StreamingQueryListener):
    """Says on standard error, and counts, what was left out; content-free. ``said``: so much until now, by cause."""

    def __init__(self, tally: Tally, counters: Counters | None) -> None:
        self._tally = tally
        self._counters = counters
        self.said: Counter[str] = Counter()

    def onQueryStarted(self, event: QueryStartedEvent) -> None:
        """Nothing was read yet."""

    def onQueryProgress(self, event: QueryProgressEvent) -> None:
        fresh = Counter(self._tally.value) - self.said
        if fresh:
            self.said += fresh
            what = ", ".join(f"{number} {cause}" for cause, number in sorted(fresh.items()))
            print(f"left out of what was read: {what}", file=sys.stderr, flush=True)
        if self._counters is not None:
            self._counters.dropped(fresh)
            self._counters.judged()

    def onQueryIdle(self, event: QueryIdleEvent) -> None:
        if self._counters is not None:
            self._counters.judged()

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:
        """The job says itself how it ended."""
