"""What a recording comes to, read by the path that `counterfoil audit` takes; with `python -m`, the first golden of it.

`python -m tests.histories.recorded FILE…` writes the verdicts of recordings that have none yet. What it wrote is to be
held against what the script did, by a person, before it is kept.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil.auditing.intake import Intake
from counterfoil.auditing.judging import judgements
from counterfoil.auditing.sources import sources
from counterfoil.auditing.taking_in import take_in
from counterfoil.judge import Judgement

FOLDER = Path(__file__).with_name("spans")
SUFFIX = ".otlp.json"


@dataclass(frozen=True)
class Recording:
    """``ran``: how often the body of a tool began, as the tools themselves counted it."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.relative_to(FOLDER).as_posix().removesuffix(SUFFIX)

    @property
    def golden(self) -> Path:
        return self.path.with_name(self.path.name.removesuffix(SUFFIX) + ".verdicts.json")

    @property
    def lines(self) -> list[str]:
        return self.path.read_text(encoding="utf-8").splitlines(keepends=True)

    @property
    def about(self) -> dict[str, str]:
        resource = json.loads(self.lines[0])["resourceSpans"][0]["resource"]
        return {one["key"]: next(iter(one["value"].values())) for one in resource["attributes"]}

    @property
    def ran(self) -> int:
        return int(self.about["recording.ran"])


RECORDINGS = tuple(Recording(path) for path in sorted(FOLDER.rglob(f"*{SUFFIX}")))


def audited(paths: Sequence[Path]) -> Intake:
    """What `counterfoil audit PATH…` takes in, under the default settings."""
    return take_in(sources([str(path) for path in paths]))


def verdicts(intake: Intake) -> dict[str, Any]:
    """By operation in a stable order, since names differ with ids: and how many facts each vocabulary was read into."""
    told = [_told(judged) for judged in judgements(intake)]
    return {"operations": sorted(told, key=json.dumps), "read": dict(sorted(intake.read.items()))}


def _told(judged: Judgement) -> dict[str, Any]:
    operation = judged.operation
    return {
        "tool": operation.tool,
        "verdict": judged.verdict.value,
        "reason": judged.reason.value if judged.reason is not None else None,
        "findings": [finding.value for finding in judged.findings],
        "attempts": len({view.attempt_id for one in operation.dispatches for view in one.views}),
        "dispatches": [
            {
                "transport": one.transport.value,
                "reported": one.reported.value if one.reported is not None else None,
                "executed": one.executed,
                **({"proof": one.proof} if one.proof is not None else {}),
                "hashed": one.payload_hash is not None,
            }
            for one in operation.dispatches
        ],
    }


def executed(told: dict[str, Any]) -> int:
    return sum(one["executed"] for operation in told["operations"] for one in operation["dispatches"])


if __name__ == "__main__":
    for one in (Recording(Path(name).resolve()) for name in sys.argv[1:]):
        if not one.golden.exists():
            told = verdicts(audited([one.path]))
            one.golden.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
            print(f"{one.name}: {one.ran} ran, {executed(told)} executed; {told['read']}")
