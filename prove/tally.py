"""What many runs came to, counted; runs may be forgotten, their counts are added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from prove.check.checking import Checked
from prove.check.marks import LIES, Mark
from prove.check.said import AUDIT, LEDGER
from prove.check.truth import Truth
from prove.plan import Plan

UNHEARD = "unheard of"
LOSES = ("sampled", "overflow", "down", "gap")
"""Cohorts of which an operation may leave nothing at all."""


@dataclass(slots=True)
class Tally:
    """``verdicts``: by who said it, verdict and mark. ``faults``: by fault, final verdict and mark; an operation with
    several faults counts under each. ``met``: operations by fault. ``missing``: unheard of, and nothing was lost.
    """

    operations: int = 0
    seeds: set[int] = field(default_factory=set)
    verdicts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    faults: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    met: Counter[str] = field(default_factory=Counter)
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)
    true: Counter[str] = field(default_factory=Counter)
    missing: list[str] = field(default_factory=list)

    def add(self, plans: Iterable[Plan], checked: Iterable[Checked], world: Mapping[str, Truth]) -> None:
        """Count one run. ``world``: what the provider's book and the wire's notes say of it."""
        finals: dict[str, Checked] = {}
        for one in checked:
            self.verdicts[one.said.by, one.said.verdict, one.marked.mark] += 1
            final = LEDGER if one.plan.telemetry in ("shared", "down") else AUDIT
            if one.said.by == final:
                finals[one.said.operation] = one
        for plan in plans:
            self.seeds.add(plan.seed)
            for name in plan.operations:
                self.operations += 1
                faults = plan.met(sent.fault for sent in world.get(name, Truth()).sent)
                self._operation(plan, name, finals.get(name), faults)

    def _operation(self, plan: Plan, name: str, final: Checked | None, faults: Iterable[str]) -> None:
        verdict, mark = (final.said.verdict, final.marked.mark) if final is not None else (UNHEARD, Mark.BLIND)
        if final is None and plan.telemetry not in LOSES and plan.kill == "none":
            self.missing.append(name)
        if final is not None and final.said.reason is not None:
            self.reasons[final.said.reason, plan.telemetry] += 1
        if final is not None and len(final.truth.held) > 1:
            found = "duplicate_effect" in final.said.words
            self.true["duplicates called so" if found else "duplicates that nothing showed"] += 1
        for fault in faults:
            self.met[fault] += 1
            self.faults[fault, verdict, mark] += 1

    @property
    def lies(self) -> int:
        """How often the check must fail."""
        return sum(times for (_, _, mark), times in self.verdicts.items() if mark in LIES) + len(self.missing)
