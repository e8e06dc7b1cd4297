"""A recorded run, checked: every verdict that anybody said of it, with its mark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from prove import plan as plans
from prove.check.arrived import Arrived, Evidence, from_facts
from prove.check.marks import LIES, Marked, mark
from prove.check.said import PART, SHARING, Said, audited, kept, told
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


def kept_of(said: Said) -> Arrived:
    """What a ledger holds of one operation."""
    known = Arrived(())
    if said.judgement is not None:
        known.by_name[said.operation] = from_facts(said.judgement.operation.facts)
    return known


def check(folder: Path) -> list[Checked]:
    """Every verdict of a recorded run: the audit's of all files, each process's own, the ledger's."""
    found: list[Span] = []
    for path in sorted((folder / "telemetry").glob("*.jsonl")):
        shares = path.name.startswith(("shared", "desk-ledger"))
        found += (replace(span, process=SHARING) if shares else span for span in spans(path))
    by_name, world = plans.by_operation(plans.read(folder / "plans.jsonl")), truth(folder)
    everything = Arrived(found)
    own: dict[str, list[Span]] = {}
    for span in found:
        own.setdefault(span.process or "", []).append(span)
    each = {process: Arrived(some) for process, some in own.items()}
    shared = [(said, kept_of(said)) for said in kept(folder)]
    begun = {said.operation: known.of(said.operation).begun for said, known in shared}

    def sayings() -> Iterator[tuple[Said, Arrived]]:
        yield from ((said, everything) for said in audited(folder))
        yield from ((said, each[said.process or ""]) for said in told(found))
        for host in ("host1", "host2"):
            part = Arrived(span for path in (folder / "telemetry").glob(f"*{host}*") for span in spans(path))
            yield from ((said, part) for said in audited(folder, PART, host))
        yield from shared

    owners = {ref: name for name, one in world.items() for ref in (*one.held, *one.promised)}
    checked = []
    for said, known in sayings():
        plan = by_name.get(said.operation)
        if plan is not None:
            evidence = known.of(said.operation)
            evidence.lag = int(plan.read_lag_s * 1e9) if plan.framework in WITH_SETTINGS else 0
            evidence.begun = begun.get(said.operation, 0)
            named = {ref: owners.get(ref, said.operation) for ref in evidence.made}
            evidence.strays = {
                ref for ref, owner in named.items() if owner != said.operation and not known.names(ref, owner)
            }
            true = world.get(said.operation, Truth())
            marked = mark(said, plan, true, evidence, conflict_shown=said.operation in known.conflicts)
            checked.append(Checked(said, plan, true, evidence, marked))
    return checked
