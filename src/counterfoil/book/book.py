"""What is known in this process of every operation that is not forgotten, and what of it is to be told.

Facts come in any order and any number of times. An operation is judged when nothing was heard of it for its settling
time, together with those that it shares something with; what was told is told again only where it changed. Until
something is forgotten, what was told last of an operation that has settled is what the slow fold of all its facts
says, which a law of the tests holds it to.
"""

from __future__ import annotations

import heapq
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable
from threading import RLock
from time import monotonic_ns

from counterfoil.across import around
from counterfoil.book.entry import Entry
from counterfoil.book.memory import FOR_EACH, Forgotten
from counterfoil.book.shelf import Shelf
from counterfoil.book.telling import Said, Telling, said, withheld
from counterfoil.book.twins import Twins
from counterfoil.config import Config
from counterfoil.facts import Fact, Gap
from counterfoil.judge import Judgement, judge
from counterfoil.verdicts import Outcome, Reason, Verdict, severity_of

MAX_GAPS = 1_000
"""So many gaps are kept; of more, the newest are taken for known."""

STALE = 4
"""So many appointments are kept for each operation; most of them are no longer in force."""

LOOKED_AT = 64
"""So many of the operations heard of longest ago are looked at for one that can be forgotten without loss."""

_SECOND = 1_000_000_000


class Book:
    """At most ``config.max_operations`` operations, each with at most `counterfoil.book.entry.MAX_FACTS` facts.

    Of more operations, the one heard of longest ago is forgotten, after it was judged: counted in ``forgotten``, and
    never acquitted if it is heard of again. ``clock`` gives nanoseconds that never go back. Safe for threads.
    """

    def __init__(self, config: Config, clock: Callable[[], int] = monotonic_ns) -> None:
        self._config = config
        self._clock = clock
        self._lock = RLock()
        self._entries: OrderedDict[str, Entry] = OrderedDict()  # by when they were last heard of
        self._waiting: OrderedDict[str, int] = OrderedDict()  # without a settled verdict: since when, the oldest first
        self._shelf, self._twins = Shelf(), Twins()
        self._past = Forgotten(config.max_operations * FOR_EACH)
        self._gaps: set[Gap] = set()
        self._due: list[tuple[int, str]] = []
        self._early: list[Telling] = []
        self.forgotten = 0
        self.incidents: Counter[Verdict] = Counter()
        self.indeterminate = 0

    # ------------------------------------------------------------------------- facts

    def add(self, facts: Iterable[Fact | Gap]) -> None:
        """Take facts in."""
        with self._lock:
            now = self._clock()
            by_operation: dict[str, list[Fact]] = {}
            for fact in facts:
                if isinstance(fact, Gap):
                    self._mind(fact, now)
                else:
                    by_operation.setdefault(fact.operation_id, []).append(fact)
            for operation_id, known in by_operation.items():
                self._learn(operation_id, known, now)

    def _learn(self, operation_id: str, facts: list[Fact], now: int) -> None:
        entry = self._entries.get(operation_id)
        if entry is None:
            entry = self._entries[operation_id] = self._open(operation_id, now)
        self._entries.move_to_end(operation_id)
        links = entry.learn(facts, now)
        if links is None:
            return
        entry.bereft = entry.bereft or self._past.shared(links)
        self._shelf.put(operation_id, links)
        self._twins.meet(entry.operation)
        self._waiting.setdefault(operation_id, now)
        tool = entry.operation.tool
        wait = self._config.deadline(tool) if entry.is_running else self._config.settle_after(tool)
        self._schedule(entry, (entry.first_at if entry.is_running else now) + int(wait * _SECOND))
        if len(self._entries) > self._config.max_operations:
            self._forget(now)

    def _open(self, operation_id: str, now: int) -> Entry:
        entry = Entry(operation_id, now, now)
        left = self._past.recall(operation_id)
        if left is not None:
            entry.revision, entry.incident = left
            entry.incomplete = True
        return entry

    def _mind(self, gap: Gap, now: int) -> None:
        """A gap may give doubt another reason, and take the proof from "nothing was sent"."""
        if gap in self._gaps or len(self._gaps) >= MAX_GAPS:
            return
        self._gaps.add(gap)
        for entry in self._entries.values():
            if entry.told is not None and entry.told.outcome in (Outcome.INDETERMINATE, Outcome.VERIFIED_NOT_APPLIED):
                entry.news = True
                self._schedule(entry, now + int(self._config.settle_after(entry.operation.tool) * _SECOND))

    def _schedule(self, entry: Entry, at: int) -> None:
        entry.due_at = at
        heapq.heappush(self._due, (at, entry.operation_id))
        if len(self._due) > STALE * len(self._entries) + STALE:
            self._due = [(one.due_at, name) for name, one in self._entries.items() if one.due_at is not None]
            heapq.heapify(self._due)

    # ---------------------------------------------------------------------- verdicts

    def due(self) -> list[Telling]:
        """What has settled by now, and what is overdue."""
        with self._lock:
            now = self._clock()
            ready: dict[str, Entry] = {}
            while self._due and self._due[0][0] <= now:
                at, operation_id = heapq.heappop(self._due)
                entry = self._entries.get(operation_id)
                if entry is not None and entry.due_at == at:
                    entry.due_at = None
                    ready[operation_id] = entry
            return self._taken() + self._judge(ready, now, settled=True)

    def settle(self, *, running: bool = True) -> list[Telling]:
        """All that is news, at once. With ``running`` also what was not seen to end: at the end of a process."""
        with self._lock:
            ready = {
                name: self._entries[name] for name in self._waiting if running or not self._entries[name].is_running
            }
            ready |= {name: entry for name, entry in self._entries.items() if entry.news and name not in self._waiting}
            return self._taken() + self._judge(ready, self._clock(), settled=False)

    @property
    def next_due(self) -> int | None:
        """When `due` will next have something to look at, by the book's clock."""
        with self._lock:
            return self._due[0][0] if self._due else None

    def _judge(self, ready: dict[str, Entry], now: int, *, settled: bool) -> list[Telling]:
        if not ready:
            return []
        news = [name for name, entry in ready.items() if entry.news]
        touched = self._shelf.affected(news, self._entries)
        also = {name: self._entries[name] for name in touched if self._entries[name].told is not None}
        names = self._shelf.around({**ready, **also}, self._entries)
        surroundings = around((self._entries[name].operation for name in sorted(names)), frozenset(self._gaps))
        tellings = []
        for entry in (*ready.values(), *(also[name] for name in sorted(also.keys() - ready.keys()))):
            telling = self._tell(entry, judge(entry.operation, surroundings), now, settled=settled)
            if telling is not None:
                tellings.append(telling)
        return tellings

    def _tell(self, entry: Entry, judgement: Judgement, now: int, *, settled: bool) -> Telling | None:
        """The next revision of what is told of an operation; None where it would say the same again."""
        operation = judgement.operation
        partial = entry.is_partial or (self._past.is_lossy and not operation.intents)
        if partial:
            judgement = withheld(judgement, bereft=entry.bereft)
        deadline = entry.first_at + int(self._config.deadline(operation.tool) * _SECOND)
        severity = severity_of(judgement.verdict, judgement.reason, overdue=now >= deadline)
        if judgement.reason is Reason.AMBIGUOUS and now < deadline:
            self._schedule(entry, deadline)
        entry.news = False
        self._waiting.pop(entry.operation_id, None)
        news = said(judgement, severity, partial=partial)
        if news == entry.told or (partial and entry.incident is not None and news.incident is None):
            return None  # the same again; or a doubt that would close an incident which nobody has looked at
        self._account(entry, news)
        entry.told, entry.incident, entry.revision = news, news.incident, entry.revision + 1
        attempts = len(operation.dispatches)
        fresh, entry.attempts_told = max(0, attempts - entry.attempts_told), attempts
        since = min(fact.observed_at for fact in operation.intents or operation.facts)
        return Telling(judgement, news, entry.revision, settled, since, fresh, self._twins.of(operation))

    def _account(self, entry: Entry, news: Said) -> None:
        """An operation counts under what was told of it last."""
        if entry.incident is not None:
            self.incidents[entry.incident] -= 1
        if news.incident is not None:
            self.incidents[news.incident] += 1
        doubted = entry.told is not None and entry.told.outcome is Outcome.INDETERMINATE
        self.indeterminate += (news.outcome is Outcome.INDETERMINATE) - doubted

    # -------------------------------------------------------------------- forgetting

    def _forget(self, now: int) -> None:
        """Make room. First to go is what was told and stands alone."""
        oldest = [entry for _, entry in zip(range(LOOKED_AT), self._entries.values(), strict=False)]
        entry = next((one for one in oldest if not one.news and self._shelf.is_alone(one)), oldest[0])
        if entry.news:
            self._early += self._judge({entry.operation_id: entry}, now, settled=False)
        del self._entries[entry.operation_id]
        self._waiting.pop(entry.operation_id, None)
        for name in self._shelf.take(entry):
            self._entries[name].bereft = True
        self._twins.part(entry.operation)
        self.indeterminate -= entry.told is not None and entry.told.outcome is Outcome.INDETERMINATE
        self._past.add(entry.operation_id, entry.revision, entry.incident, entry.links)
        self.forgotten += 1

    def _taken(self) -> list[Telling]:
        early, self._early = self._early, []
        return early

    # ------------------------------------------------------------------------ counts

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, operation_id: str) -> bool:
        return operation_id in self._entries

    @property
    def waiting(self) -> int:
        """How many operations have no settled verdict."""
        return len(self._waiting)

    @property
    def oldest_age_s(self) -> float:
        """How long the oldest of them has been waiting."""
        with self._lock:
            since = next(iter(self._waiting.values()), None)
            return 0.0 if since is None else max(0.0, (self._clock() - since) / _SECOND)
