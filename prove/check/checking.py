"""A recorded run, checked: every verdict that anybody said of it, with its mark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from prove import plan as plans
from prove.check.arrived import Evidence, arrived, conflicts, from_facts
from prove.check.marks import LIES, Marked, mark
from prove.check.said import AUDIT, Said, audited, kept, told
from prove.check.truth import Truth, truth
from prove.plan import Plan
from prove.telemetry.lines import Span, spans


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
    own: dict[str | None, list[Span]] = {}
    for span in found:
        own.setdefault(span.process, []).append(span)
    each = {process: arrived(some) for process, some in own.items()}
    shown = conflicts(everything)
    shown_in = {process: conflicts(some) for process, some in each.items()}

    def sayings() -> Iterator[tuple[Said, Evidence, bool]]:
        for said in audited([folder / "telemetry"], folder / "settings.toml"):
            yield said, everything.get(said.operation, Evidence()), said.operation in shown
        for said in told(found):
            evidence = each[said.process].get(said.operation, Evidence())
            yield said, evidence, said.operation in shown_in[said.process]
        for said in kept(folder):
            facts = said.judgement.operation.facts if said.judgement is not None else ()
            yield said, from_facts(facts), False

    return [
        Checked(said, by_name[said.operation], world.get(said.operation, Truth()), evidence, marked)
        for said, evidence, conflict in sayings()
        if said.operation in by_name
        for marked in [
            mark(
                said,
                by_name[said.operation],
                world.get(said.operation, Truth()),
                evidence,
                conflict_shown=conflict,
            )
        ]
    ]


def unnamed(folder: Path, checked: list[Checked]) -> set[str]:
    """Operations that the audit made out of nothing: none of them was planned."""
    named = {one.said.operation for one in checked if one.said.by == AUDIT}
    return {said.operation for said in audited([folder / "telemetry"], folder / "settings.toml")} - named
