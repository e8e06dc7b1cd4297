"""What goes on behind one pipeline, on a thread of its own: spans are read, facts are folded, verdicts are told.

The host's threads only put what they saw into a queue. Everything here is bounded: the queue by `MAX_QUEUE`, open spans
by `counterfoil.reading.spans.MAX_OPEN`, operations by ``max_operations``; what finds no room is counted.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from itertools import islice

from counterfoil.book import Book
from counterfoil.config import Config
from counterfoil.facts import Fact, Gap
from counterfoil.reading.spans import Reading
from counterfoil.reading.views import Attributes, SpanSeen
from counterfoil.telling.meters import Meters
from counterfoil.telling.teller import Teller, Troubles
from counterfoil.verdicts import Verdict

MAX_QUEUE = 50_000
"""So many starts and ends of spans wait to be read; of more, the newest are dropped and counted."""

AT_ONCE = 500
"""So many are read before others get their turn at the lock."""

TICK_S = 0.1
"""How often the thread looks for work, in seconds."""

PATIENCE_S = 10.0
"""How long a caller of `settle` waits for the thread to let go."""

QUEUE_FULL = "queue_full"

Moment = tuple[bool, SpanSeen, Attributes | None]
"""Whether a span ended, what was seen of it, and the baggage that it started with."""


class Pipeline:
    """Reads, folds, judges and tells. ``clock`` is the book's, in nanoseconds that never go back."""

    def __init__(
        self,
        config: Config,
        meters: Meters,
        teller: Callable[[], Teller | None],
        troubles: Troubles,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._config, self._meters, self._teller, self._troubles = config, meters, teller, troubles
        self._clock = clock
        self.begin()
        meters.watch(self)

    def begin(self) -> None:
        """Start from nothing: at first, and in a forked child, where the parent's operations are the parent's."""
        self.queue: deque[Moment] = deque()
        self.dropped = 0
        self._told_dropped = 0
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self.book = Book(self._config, self._clock)
        self.reading = Reading(self._config)
        self._counted: tuple[Counter[str], Counter[str]] = (Counter(), Counter())

    def put(self, moment: Moment) -> None:
        """From the host's thread: a start or an end. Costs an append; starts the thread with the first one."""
        if len(self.queue) >= MAX_QUEUE:
            self.dropped += 1
            return
        self.queue.append(moment)
        if self._thread is None:
            self._start()

    def state(self, facts: list[Fact]) -> None:
        """Facts that somebody stated, not by a span."""
        with self._lock:
            self.book.add(facts)
        if self._thread is None:
            self._start()

    def settle(self, *, running: bool) -> None:
        """Read all that waits and tell all that is news, on the caller's thread. ``running``: also of what was not
        seen to end, because the process ends. Gives up after `PATIENCE_S`."""
        if not self._lock.acquire(timeout=PATIENCE_S):
            return
        try:
            self._read(len(self.queue))
            if running:
                self.book.add(self.reading.close())
            self._tell(lambda: self.book.settle(running=running))
        except Exception as error:
            self._troubles.had("settle", error)
        finally:
            self._lock.release()

    def stop(self) -> None:
        """Let the thread go. What comes later is settled by whoever asks for it."""
        self._stop.set()

    # ------------------------------------------------------------------- the thread

    def _start(self) -> None:
        if self._stop.is_set() or not self._lock.acquire(blocking=False):
            return
        try:
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="counterfoil", daemon=True)
                thread.start()
                self._thread = thread
        except RuntimeError:  # no thread can be had any more; `settle` does the work at the end
            return
        finally:
            self._lock.release()

    def _run(self) -> None:
        stop = self._stop
        while not stop.wait(TICK_S):
            self.tick()

    def tick(self) -> None:
        """One look for work."""
        try:
            while self.queue:
                with self._lock:
                    self._read(AT_ONCE)
            with self._lock:
                self._tell(self.book.due)
        except Exception as error:
            self._troubles.had("tick", error)

    def _read(self, most: int) -> None:
        facts: list[Fact | Gap] = []
        for _ in range(min(most, len(self.queue))):
            ended, span, baggage = self.queue.popleft()
            try:
                facts += self.reading.ended(span) if ended else self.reading.started(span, baggage)
            except Exception as error:
                self._troubles.had("reading", error)
        if self.dropped > self._told_dropped:
            self._told_dropped = self.dropped
            self.reading.lost()
            self.reading.spilled[QUEUE_FULL] = self.dropped
            facts.append(Gap(what=QUEUE_FULL, observed_at=time.time_ns()))
        if facts:
            self.book.add(facts)

    def _tell(self, judged: Callable[[], list]) -> None:  # type: ignore[type-arg]
        tellings = judged()
        self._meters.judged()
        read, spilled = self._counted
        self._meters.facts(_since(read, self.reading.read))
        self._meters.dropped(_since(spilled, self.reading.spilled))
        self._counted = (Counter(self.reading.read), Counter(self.reading.spilled))
        teller = self._teller()
        if teller is not None:
            teller.tell(tellings)

    # ---------------------------------------------------------------- what is watched

    @property
    def waiting(self) -> int:
        return self.book.waiting

    @property
    def indeterminate(self) -> int:
        return self.book.indeterminate

    @property
    def forgotten(self) -> int:
        return self.book.forgotten

    @property
    def oldest_age_s(self) -> float:
        return self.book.oldest_age_s

    @property
    def incidents(self) -> Mapping[Verdict, int]:
        return self.book.incidents


def _since(before: Counter[str], now: Mapping[str, int]) -> Counter[str]:
    return Counter({name: number - before[name] for name, number in islice(now.items(), 256) if number > before[name]})
