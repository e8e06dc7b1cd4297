"""What goes on behind one pipeline, on a thread of its own: spans are read, facts are folded, verdicts are told.

The application's threads only put what they saw into a queue. Everything here is bounded: the queue by `MAX_QUEUE`,
open spans by `counterfoil.reading.spans.MAX_OPEN`, operations by ``max_operations``; what finds no room is counted.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from itertools import islice

from counterfoil.book import Book, Telling
from counterfoil.config import Config
from counterfoil.facts import Fact, Gap
from counterfoil.processor.books import IN_MEMORY, LEDGER_PATIENCE_S, opened
from counterfoil.processor.moments import Moment, seen
from counterfoil.reading.spans import Reading
from counterfoil.telling.meters import Meters
from counterfoil.telling.teller import Teller, Troubles, log
from counterfoil.verdicts import Verdict

MAX_QUEUE = 50_000
"""So many starts and ends of spans wait to be read; of more, the newest are dropped and counted. Beside the texts that
stand on spans, so many of tools' calls hold some 30 MB."""

AT_ONCE = 500
"""So many are read before others get their turn at the lock."""

GATHER_S = 0.05
"""How long the thread lets work gather before it begins, in seconds."""

IDLE_S = 10.0
"""How long the thread sleeps at most, in seconds: so old may the heartbeat be."""

PATIENCE_S = 10.0
"""How long a caller of `settle` waits for the thread to let go, in seconds."""

QUEUE_FULL = "queue_full"


class Pipeline:
    """Reads, folds, judges and tells. ``clock`` is the book's, in nanoseconds that never go back."""

    def __init__(
        self,
        config: Config,
        meters: Meters,
        teller: Callable[[], Teller],
        troubles: Troubles,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._config, self._meters, self._teller, self._troubles = config, meters, teller, troubles
        self._clock = clock
        self.is_durable = config.ledger != IN_MEMORY
        """Whether what is read outlives this process."""
        self.begin()
        meters.watch(self)

    def begin(self) -> None:
        """Start from nothing: at first, and in a forked child, where the parent's operations are the parent's."""
        self.queue: deque[Moment] = deque()
        self.dropped = 0
        self._last_fault = ""
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._signal = threading.Event()
        self._is_awake = False
        self._stopped = False
        self.book, self._probing = opened(self._config, self._say, self._on_fault, self._clock)
        self.reading = Reading(self._config)
        self._counted: tuple[Counter[str], Counter[str]] = (Counter(), Counter())

    def _say(self, tellings: list[Telling]) -> None:
        self._teller().tell(tellings)

    def _on_fault(self, fault: Exception) -> None:
        self._troubles.had("ledger", fault)
        if str(fault) != self._last_fault:  # the ledger is asked twice a second
            self._last_fault = str(fault)
            log.warning("%s", fault)

    def commit(self) -> None:
        """Read all that waits, on the caller's thread: a request is about to leave, and what it is meant to do must be
        in the ledger before. Gives up where the thread or the ledger keeps it waiting."""
        if self._lock.acquire(timeout=LEDGER_PATIENCE_S):
            try:
                self._read(len(self.queue))
            finally:
                self._lock.release()

    def put(self, moment: Moment) -> None:
        """From the application's thread: a start or an end. Costs an append; the first one wakes the thread."""
        if len(self.queue) >= MAX_QUEUE:
            self.dropped += 1
            return
        self.queue.append(moment)
        if not self._is_awake:
            self._wake()

    def state(self, facts: list[Fact]) -> None:
        """Facts that somebody stated, not by a span."""
        with self._lock:
            self._learn(facts)
        self._wake()

    def settle(self, *, running: bool, patience_s: float = PATIENCE_S) -> bool:
        """Read all that waits and tell all that is news, on the caller's thread. ``running``: also of what was not
        seen to end, because the process ends. Gives up, and says so, if the thread doesn't let go in time."""
        if not self._lock.acquire(timeout=max(0.0, min(patience_s, PATIENCE_S))):
            return False
        try:
            self._read(len(self.queue))
            if running:
                self._learn(self.reading.close())
            self._tell(self.book.settle(running=running))
        finally:
            self._lock.release()
        return True

    def stop(self) -> None:
        """Let the thread go. What comes later is settled by whoever asks for it."""
        self._stopped = True
        self._signal.set()
        if self._probing is not None:
            self._probing.stop()

    def leave(self) -> None:
        """All that could be told is told, and what it is told by is about to be shut down."""
        if not isinstance(self.book, Book):  # of what is in memory nobody else could tell
            self.book.leave()

    # ------------------------------------------------------------------- the thread

    def _wake(self) -> None:
        self._is_awake = True
        if self._thread is None and not self._stopped:
            self._start()
        if self._probing is not None:
            self._probing.wake()
        self._signal.set()

    def _start(self) -> None:
        with self._lock:
            if self._thread is not None:
                return
            thread = threading.Thread(target=self._run, name="counterfoil", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # no thread can be had any more; `settle` does the work at the end
                return
            self._thread = thread

    def _run(self) -> None:
        signal = self._signal
        while not self._stopped and signal is self._signal:
            if signal.wait(self._pause()) and not self._stopped:
                signal.clear()
                time.sleep(GATHER_S)
            self._is_awake = False  # before the work: what comes meanwhile wakes the thread again
            self.tick()

    def _pause(self) -> float:
        try:
            return self._until_due()
        except Exception as error:  # without this thread nothing would be told before the end
            self._troubles.had("pause", error)
            return IDLE_S

    def _until_due(self) -> float:
        due = self.book.next_due
        return IDLE_S if due is None else min(IDLE_S, max(0.0, (due - self._clock()) / 1e9))

    def tick(self) -> None:
        """One look for work."""
        try:
            while self.queue:
                with self._lock:
                    self._read(AT_ONCE)
            with self._lock:
                if not self._was_let_go:
                    self._tell(self.book.due())
        except Exception as error:
            self._troubles.had("tick", error)

    @property
    def _was_let_go(self) -> bool:
        """This is the thread, and it was stopped: others shut down what it tells by, and what is due in a shared ledger
        is for those who are still there."""
        return self._stopped and threading.current_thread() is self._thread

    def _read(self, most: int) -> None:
        facts: list[Fact | Gap] = []
        for _ in range(min(most, len(self.queue))):
            moment = self.queue.popleft()
            try:
                span = seen(moment)
                facts += self.reading.ended(span) if moment[0] else self.reading.started(span, moment[1])
            except Exception as error:
                self._troubles.had("reading", error)
        if self.dropped > self.reading.spilled[QUEUE_FULL]:
            self.reading.spilled[QUEUE_FULL] = self.dropped
            self.reading.lost()
        self._learn(facts)
        if consults := self.reading.consults.take():
            self._teller().tell_consults(consults)

    def _learn(self, facts: Iterable[Fact | Gap]) -> None:
        facts = list(facts)
        if facts:
            self.book.add(facts)
            if "facts" in self._config.emit:
                self._teller().tell_facts(facts)

    def _tell(self, tellings: list[Telling]) -> None:
        self._meters.judged()
        read, spilled = self._counted
        self._meters.facts(_since(read, self.reading.read))
        self._meters.dropped(_since(spilled, self.reading.spilled))
        self._counted = (Counter(self.reading.read), Counter(self.reading.spilled))
        if tellings:
            self._teller().tell(tellings)

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
