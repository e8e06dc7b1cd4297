"""The marks of a run as a file, one verdict a line, for whoever compares other tools on the same run."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from prove.check.checking import Checked


def write_checked(checked: Iterable[Checked], path: Path) -> None:
    """Every verdict, who said it, its mark, and what was true."""
    with path.open("w", encoding="utf-8") as file:
        for one in checked:
            said, truth = one.said, one.truth
            row = {
                "operation": said.operation,
                "by": said.by,
                "process": said.process,
                "verdict": said.verdict,
                "outcome": said.outcome,
                "findings": said.findings,
                "reason": said.reason,
                "mark": one.marked.mark,
                "why": one.marked.why,
                "faults": one.plan.met(sent.fault for sent in truth.sent),
                "held": truth.held,
                "promised": truth.promised,
                "otherwise": truth.otherwise,
                "key_conflict": truth.conflict,
                "requests": len(truth.sent),
                "shown": one.evidence.effects,
            }
            file.write(f"{json.dumps(row)}\n")
