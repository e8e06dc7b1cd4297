"""A book whose facts are in a ledger: what was begun in one process is judged in another, and nothing is told twice.

It stands where the book in memory does. Facts go into the ledger; what is due there, whoever began it, is judged from
there and told while it is claimed. What is counted in here (waiting, incidents) is what this process saw or told, and
was not told otherwise since by somebody else.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable

from counterfoil.book.telling import Telling, said
from counterfoil.config import Config
from counterfoil.facts import Fact, Gap
from counterfoil.judge import Judgement
from counterfoil.ledger import Ledger, LedgerFault
from counterfoil.ledger.guarded import Guarded
from counterfoil.ledger.judging import SECOND, Timing, judge_due
from counterfoil.ledger.judging import Telling as Judged
from counterfoil.verdicts import Outcome, Severity, Verdict

POLL_NS = SECOND // 2
"""How often the ledger is asked for what is due, while something of this process waits."""

REFRESH_NS = 5 * SECOND
"""How often the ledger is asked whether somebody else has closed an incident."""

AT_ONCE = 200
"""So many operations are claimed at once: who adds facts to them waits for so long."""


LAST_TRIES = 8
"""So often what the ledger didn't take is offered again where the process ends. A locked one is waited for each time, a
quarter of a second in an agent."""


class NotKept(Exception):
    """The process ends, and facts are in no ledger."""


class NotTold(Exception):
    """Telling broke. What was to be told is told under a further revision."""


class NotCounted(Exception):
    """A verdict was told and is missing in what this process counts."""


class DurableBook:
    """``tell`` is called while operations are claimed, so that nobody else tells of them. ``on_fault``: the ledger
    can't be used, told once until it can be. ``clock`` is the pipeline's; ``now`` is wall time, in nanoseconds.
    ``looked_at``: the target will be asked about an operation yet, so that somebody waits for it."""

    def __init__(
        self,
        config: Config,
        ledger: Ledger,
        tell: Callable[[list[Telling]], None],
        on_fault: Callable[[Exception], None],
        *,
        clock: Callable[[], int] = time.monotonic_ns,
        now: Callable[[], int] = time.time_ns,
        looked_at: Callable[[Judgement], bool] = lambda judgement: False,
    ) -> None:
        self._config = config
        self._ledger = ledger
        self._tell = tell
        self._on_fault = on_fault
        self._clock, self._now, self._looked_at = clock, now, looked_at
        self._guarded = Guarded(ledger, on_fault)
        self._touched: OrderedDict[str, int] = OrderedDict()  # without a verdict since it learned something
        self._doubted: set[str] = set()
        self._incident: dict[str, Verdict] = {}
        self._refreshed_at = clock()
        self._left = False
        self.forgotten = 0

    def add(self, facts: Iterable[Fact | Gap]) -> None:
        """Put facts into the ledger. They are there when this returns, or kept in memory while it can't be used."""
        known = list(facts)
        for fact in known:
            if isinstance(fact, Fact):
                self._touched.setdefault(fact.operation_id, self._clock())
                if len(self._touched) > self._config.max_operations:
                    self._touched.popitem(last=False)  # it is in the ledger still
        self._guarded.add(known, due=self._now() + int(self._config.settle_after_s * SECOND))

    def due(self) -> list[Telling]:
        """Judge what is due by now in the ledger, and tell it. Nothing is left to be told by the caller."""
        self._judge(self._now(), self._timing)
        self._refresh()
        return []

    def settle(self, *, running: bool = True) -> list[Telling]:
        """The same without waiting for operations to be quiet: the process ends, or somebody wants to know now."""
        ahead = max([self._config.settle_after_s, *(tool.settle_after_s or 0 for tool in self._config.tools.values())])
        limit = 0 if running else self._config.deadline_s
        if running:
            self._keep()
        self._judge(self._now() + int(ahead * SECOND), lambda _: Timing(0, int(limit * SECOND)))
        return []

    def leave(self) -> None:
        """Nobody hears this process any more: what it learns is kept in the ledger, and told by others."""
        self._left = True

    def _keep(self) -> None:
        """Write down what the ledger has not taken so far: it is the last time."""
        if any(self._guarded.flush(last=True) for _ in range(LAST_TRIES)):
            return
        self._on_fault(
            NotKept(f"facts lost, for the process ends and its ledger can't be used: {self._guarded.waiting}")
        )

    def _judge(self, now: int, timing: Callable[[str | None], Timing]) -> None:
        try:
            if not self._guarded.flush() or self._left:
                return
            judged = AT_ONCE
            while judged == AT_ONCE:
                done = judge_due(
                    self._ledger, self._one, now=now, timing=timing, limit=AT_ONCE, looked_at=self._looked_at
                )
                judged = done.judged
                if done.failed:
                    self._on_fault(NotTold("some verdicts could not be told; they are due again"))
        except LedgerFault as fault:
            self._on_fault(fault)

    def _timing(self, tool: str | None) -> Timing:
        return Timing(int(self._config.settle_after(tool) * SECOND), int(self._config.deadline(tool) * SECOND))

    def _one(self, judged: Judged) -> None:
        operation = judged.judgement.operation
        since = min(fact.observed_at for fact in operation.intents or operation.facts)
        fresh = len(operation.dispatches) if judged.before is None else 0
        news = said(judged.judgement, judged.told.said.severity)
        self._tell([Telling(judged.judgement, news, judged.told.revision, True, since, fresh)])
        try:
            self._account(operation.operation_id, judged)
        except Exception:  # what is counted in here is not worth telling it twice
            self._on_fault(NotCounted("some verdicts are missing in what this process counts"))

    def _account(self, operation_id: str, judged: Judged) -> None:
        self._touched.pop(operation_id, None)
        self._doubted.discard(operation_id)
        self._incident.pop(operation_id, None)
        its = judged.told.said
        if its.outcome is Outcome.INDETERMINATE and len(self._doubted) < self._config.max_operations:
            self._doubted.add(operation_id)
        if its.severity is Severity.PAGE and its.open and len(self._incident) < self._config.max_operations:
            self._incident[operation_id] = its.verdict

    def take_over(self) -> None:
        """Count what is open in the whole ledger, whoever told it: for a worker that stands for all of them. Counts the
        first ``max_operations`` by id."""
        try:
            names = self._ledger.operations(limit=self._config.max_operations, open_only=True)
            told = self._ledger.told(names) if names else {}
        except LedgerFault as fault:
            self._on_fault(fault)
            return
        self._incident = {n: t.said.verdict for n, t in told.items() if t.said.severity is Severity.PAGE}
        self._doubted = {n for n, t in told.items() if t.said.outcome is Outcome.INDETERMINATE}

    def _refresh(self) -> None:
        """Let go of what another process has told of since."""
        if self._clock() - self._refreshed_at < REFRESH_NS:
            return
        self._refreshed_at = self._clock()
        mine = [*self._incident, *self._doubted, *self._touched]
        try:
            for operation_id, told in self._ledger.told(mine[:1_000]).items() if mine else ():
                if not told.said.open:
                    self._incident.pop(operation_id, None)
                if told.said.outcome is not Outcome.INDETERMINATE:
                    self._doubted.discard(operation_id)
                self._touched.pop(operation_id, None)
        except LedgerFault as fault:
            self._on_fault(fault)

    @property
    def next_due(self) -> int | None:
        """When to look again, by the pipeline's clock; None: when there is time."""
        return self._clock() + POLL_NS if self._touched or self._incident or self._doubted else None

    @property
    def incidents(self) -> Counter[Verdict]:
        return Counter(self._incident.values())

    @property
    def indeterminate(self) -> int:
        return len(self._doubted)

    @property
    def waiting(self) -> int:
        return len(self._touched)

    @property
    def oldest_age_s(self) -> float:
        since = next(iter(self._touched.values()), None)
        return 0.0 if since is None else max(0.0, (self._clock() - since) / SECOND)
