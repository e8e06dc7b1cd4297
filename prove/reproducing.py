"""A miss, made again by the smallest plan that does: candidates are carried out together, in a world of their own."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from prove.check.checking import Checked, check
from prove.check.shrinking import shrunk
from prove.plan import Plan
from prove.running import run


def reproduced(miss: Checked, folder: Path) -> Checked | None:
    """The same kind of miss under the smallest plan found; None where the plan alone goes wrong no more.

    The folder is made anew for each round, and holds the last one's records afterwards.
    """
    kind = (miss.said.by, miss.marked.mark, miss.said.verdict)
    alike: dict[Plan, Checked] = {}

    def fails(candidates: Sequence[Plan]) -> list[bool]:
        if not candidates:
            return []
        shutil.rmtree(folder, ignore_errors=True)
        run(candidates, folder, miss.plan.seed)
        found = {one.plan: one for one in check(folder) if (one.said.by, one.marked.mark, one.said.verdict) == kind}
        alike.update({plan: one for plan, one in found.items() if plan in candidates})
        return [plan in found for plan in candidates]

    least = shrunk(miss.plan, fails)
    if least is None:
        return None
    if least not in alike:  # it was given another number since
        fails([least])
    return alike.get(least)
