"""A miss as a file that can be committed: the smallest plan that made it, and what was said and true then.

`python -m prove --case FILE …` carries such plans out again. Those under `tests/prove/cases` are carried out by the
tests, so that what was a lie once is none again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path

from prove.check.checking import Checked
from prove.check.stories import story
from prove.plan import Plan, parsed


def write_case(miss: Checked, folder: Path) -> Path:
    """Put a miss into a file that is named for what went wrong. An older one of that name is replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    kind = f"{miss.marked.mark} {miss.said.by} {miss.said.verdict}"
    path = folder / f"{kind.replace(' ', '-').replace('_', '-')}.json"
    row = {"was": miss.marked.mark, "story": story(miss).splitlines(), "plan": asdict(miss.plan)}
    path.write_text(f"{json.dumps(row, indent=2, ensure_ascii=False)}\n", encoding="utf-8")
    return path


def read_cases(paths: Iterable[Path]) -> list[Plan]:
    """The plans of such files, each under a number of its own, so that they can share a world."""
    rows = (json.loads(path.read_text(encoding="utf-8")) for path in paths)
    return [replace(parsed(row["plan"]), number=number) for number, row in enumerate(rows)]
