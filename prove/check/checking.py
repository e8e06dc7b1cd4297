"""A recorded run, checked: every verdict that anybody said of it, with its mark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from prove import plan as plans
from prove.check.arrived import Evidence, arrived, conflicts, from_facts
from prove.check.marks import LIES, Marked, mark
from prove.check.said import Said, audited, kept, told
from prove.check.truth import Truth, truth
from prove.plan import Plan
from prove.telemetry.lines import Span, spans

WITH_SETTINGS = ("pydantic", "mcp", "dbos")
"""Frameworks whose tools' spans tell which tool it is, so that what the settings say of it holds."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One verdict with all that it was held against."""

    said: Said
    plan: Plan
    truth: Truth
    evidence: Evidence
    marked: Marked

    @property
    def is_lie(self) -> bool:
        return self.marked.mark in LIES


def check(folder: Path) -> list[Checked]:
    """Every verdict of a recorded run: the audit's of all files, each process's own, the ledger's."""
    found = [span for path in sorted((folder / "telemetry").glob("*.jsonl")) for span in spans(path)]
    by_name, world = plans.by_operation(plans.read(folder / "plans.jsonl")), truth(folder)
    everything = arrived(found)
    own: dict[str, list[Span]] = {}
    for span in found:
        own.setdefault(span.process or "", []).append(span)
    each = {process: arrived(some) for process, some in own.items()}
    shown = conflicts(everything)
    shown_in = {process: conflicts(some) for process, some in each.items()}

    def sayings() -> Iterator[tuple[Said, Evidence, bool]]:
        for said in audited(folder):
            yield said, everything.get(said.operation, Evidence()), said.operation in shown
        for said in told(found):  # what was in a ledger by then, nobody knows any more: only what was shown counts
            evidence = each.get(said.process or "", {}).get(said.operation, Evidence())
            yield said, evidence, said.operation in shown_in.get(said.process or "", ())
        for said in kept(folder):
            facts = said.judgement.operation.facts if said.judgement is not None else ()
            yield said, from_facts(facts), False

    checked = []
    for said, evidence, conflict in sayings():
        plan = by_name.get(said.operation)
        if plan is not None:
            evidence.lag = int(plan.read_lag_s * 1e9) if plan.framework in WITH_SETTINGS else 0
            true = world.get(said.operation, Truth())
            marked = mark(said, plan, true, evidence, conflict_shown=conflict)
            checked.append(Checked(said, plan, true, evidence, marked))
    return checked
