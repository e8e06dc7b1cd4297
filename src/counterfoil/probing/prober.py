"""Asks the targets of a ledger's operations: what is due, one worker at a time for each operation, within the limits.

All that must outlive the worker is in the ledger; what is remembered here is only when to look at an operation again.
"""

from __future__ import annotations

import platform
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event

from counterfoil.config import Config, Limit, ToolConfig
from counterfoil.facts import Claim, Effect
from counterfoil.judge import Judgement
from counterfoil.ledger import Ledger
from counterfoil.ledger.looking import judged, look_up
from counterfoil.probing.asking import ASKING, Asked, Asking, timed_out
from counterfoil.probing.limits import Limits
from counterfoil.probing.looks import Contract, looks
from counterfoil.probing.question import Probe, Question, question_of
from counterfoil.probing.resolving import contract_of, probe_of
from counterfoil.probing.schedule import SECOND, Step, known_since, next_step, taken_down, wants_look

AT_ONCE = 200
"""So many operations are read together."""

AGAIN_S = 60.0
"""After so many seconds an operation is read again of which nothing was due: it may have been sent once more."""


@dataclass(frozen=True, slots=True)
class _Tool:
    """What is needed to ask about one tool's operations."""

    probe: Probe
    contract: Contract | None
    config: ToolConfig
    limits: dict[str, Limit]


@dataclass(frozen=True, slots=True)
class _Out:
    """A question that is out. Times: nanoseconds since 1970, and seconds by the prober's clock."""

    asked: Asked
    question: Question
    tool: _Tool
    asked_at: int
    late_ns: int
    until: float


class Prober:
    """For one thread. ``on_fault`` hears of everything that was kept from doing harm.

    ``now`` is wall time in nanoseconds, ``clock`` seconds that never go back. ``made`` counts the looks by what came of
    them: ``answered``, ``unknown``.
    """

    def __init__(
        self,
        config: Config,
        ledger: Ledger,
        on_fault: Callable[[Exception], None],
        *,
        host: str = "",
        asking: Asking = ASKING,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], int] = time.time_ns,
    ) -> None:
        self._config, self._ledger, self._on_fault = config, ledger, on_fault
        self._host = (host or platform.node() or "a host")[:60]
        self._asking, self._clock, self._now = asking, clock, now
        self._limits = Limits(clock)
        self._tools = _tools(config)
        self._again: dict[str, int] = {}
        self._out: dict[str, _Out] = {}
        self._came = Event()
        self.made: Counter[str] = Counter()

    def tick(self) -> bool:
        """Take in what came, and ask what is due. Never raises, and never waits for a target. Whether any question is
        out, or was kept waiting by a limit."""
        if not self._tools:
            return False
        waiting = False
        try:
            self._take_in()
            waiting = self._ask_due()
        except Exception as error:
            self._on_fault(error)
        return bool(self._out) or waiting

    def finish(self, patience_s: float = 60.0) -> None:
        """Go on until nothing is out or waits for a limit, as long as that."""
        until = self._clock() + patience_s
        while self.tick() and self._clock() < until:
            self._came.wait(0.2)
            self._came.clear()
        self.stop()

    def stop(self) -> None:
        """Let go of all that is out. Those looks are on record as begun."""
        for name in [*self._out]:
            self._over(name)

    def waits_for_look(self, judgement: Judgement) -> bool:
        """Whether the target will be asked about this operation yet."""
        return self._step(judgement) is not None

    # ---------------------------------------------------------------------- what is due

    def _ask_due(self) -> bool:
        after, waiting, now = "", False, self._now()
        open_names: set[str] = set()
        while names := self._ledger.operations(after=after, limit=AT_ONCE, open_only=True):
            open_names.update(names)
            due = [name for name in names if name not in self._out and self._again.get(name, 0) <= now]
            for judgement in judged(self._ledger, due) if due else ():
                waiting |= self._consider(judgement, now)
            after = names[-1]
        self._again = {name: at for name, at in self._again.items() if name in open_names}
        return waiting

    def _consider(self, judgement: Judgement, now: int) -> bool:
        """Whether it is due, and a limit keeps it waiting."""
        operation = judgement.operation
        name, tool, step = operation.operation_id, self._tools.get(operation.tool or ""), self._step(judgement)
        if tool is None or step is None:
            self._again[name] = now + int(AGAIN_S * SECOND)
        elif step.at > now:
            self._again[name] = min(step.at, now + int(AGAIN_S * SECOND))
        elif not self._limits.take(tool.limits):
            return True
        elif not self._ledger.hold(name):
            self._limits.give(tool.limits)
            self._again[name] = now + SECOND
        elif not self._ask(name, tool):
            self._ledger.release(name)
            self._limits.give(tool.limits)
        return False

    def _ask(self, name: str, tool: _Tool) -> bool:
        """Look once more, now that nobody else does, and ask. Whether the question is out."""
        judgement = look_up(self._ledger, name)
        step, now = None if judgement is None else self._step(judgement), self._now()
        if judgement is None or step is None or step.at > now:
            return False
        operation = judgement.operation
        begun: Claim = taken_down(operation, step.number, self._host, now)
        self._add([begun])
        if step.number == 0:
            self._again[name] = 0
            return False
        heard_of = known_since(operation, self._host, now)
        question = question_of(operation, self._config.hash_key)
        timeout_s = tool.config.probe.pace.timeout_s if tool.config.probe else 0.0
        asked = self._asking.begin(tool.probe, question, timeout_s, self._came.set)
        if asked is None:
            self._on_fault(RuntimeError("too many probes are out, some of them stuck"))
            return False
        late = heard_of - (operation.last_executed_at or heard_of)
        self._out[name] = _Out(asked, question, tool, now, late, self._clock() + timeout_s)
        return True

    def _step(self, judgement: Judgement) -> Step | None:
        tool = self._tools.get(judgement.operation.tool or "")
        if tool is None or tool.config.probe is None:
            return None
        if not wants_look(judgement, contract=tool.contract is not None):
            return None
        return next_step(judgement.operation, tool.config.probe.pace, tool.config.settle_after_s or 0.0, self._now())

    # ---------------------------------------------------------------------- what came

    def _take_in(self) -> None:
        for name, out in [*self._out.items()]:
            if not out.asked.came.is_set() and self._clock() < out.until:
                continue
            try:
                self._add(self._seen(out))
            finally:
                self._over(name)

    def _seen(self, out: _Out) -> list[Effect]:
        answer = out.asked.answer or timed_out(out.tool.config.probe.pace.timeout_s if out.tool.config.probe else 0.0)
        found = looks(
            out.question,
            answer,
            asked_at=out.asked_at,
            answered_at=self._now(),
            lag_s=out.tool.config.settle_after_s or 0.0,
            late_ns=out.late_ns,
            contract=out.tool.contract,
        )
        self.made["answered" if any(look.authoritative for look in found) else "unknown"] += 1
        return found

    def _add(self, facts: list[Claim] | list[Effect]) -> None:
        """What one look showed is due at once."""
        self._ledger.add(facts, due=self._now())

    def _over(self, name: str) -> None:
        out = self._out.pop(name)
        self._again.pop(name, None)
        self._limits.give(out.tool.limits)
        self._ledger.release(name)


def _tools(config: Config) -> dict[str, _Tool]:
    """The tools that can be asked about. What can't be used is told by whoever starts us."""
    tools: dict[str, _Tool] = {}
    for name, tool in config.tools.items():
        if tool.probe is None:
            continue
        target = tool.probe.target
        limits = {f"tool {name}": tool.probe.limit, f"target {target}": config.targets.get(target, Limit())}
        try:
            contract = None if tool.expect is None else contract_of(tool.expect)
            tools[name] = _Tool(probe_of(tool.probe), contract, tool, limits)
        except ValueError:
            continue
    return tools
