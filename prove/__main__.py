"""`make prove`: generate, inject, record, check, explain. Exit code 1 where a verdict was a lie."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from prove.beside.__main__ import recorded, told
from prove.beside.in_path import OPERATIONS
from prove.beside.scores import Scores
from prove.cases import read_cases, write_case
from prove.check.checking import Checked, check
from prove.check.recording import write_checked
from prove.check.stories import kinds, planned, story
from prove.check.stories import told as told_misses
from prove.check.truth import truth
from prove.generator import plans
from prove.plan import Plan
from prove.report import HEAD, placed, report, unmet
from prove.reproducing import reproduced
from prove.running import run
from prove.tally import Tally

BATCH = 20_000
"""So many operations share one world."""

SHRUNK = 3
"""So many kinds of miss are shrunk; each takes a minute."""


def main() -> int:
    asked = _asked()
    if asked.case:
        return _again(asked.case, asked.out / "cases-again")
    tally, began, misses = Tally(), time.monotonic(), []
    others = recorded() if asked.report is not None else None
    each = -(-asked.operations // asked.seeds)
    seeds = range(asked.seed, asked.seed + asked.seeds)
    share = max(1, BATCH // each)
    for start in range(0, len(seeds), share):
        batch = [plan for seed in seeds[start : start + share] for plan in plans(seed, each)]
        found = _batch(
            batch, asked.out / f"seeds-{seeds[start]}", tally, others, keep=asked.keep or len(seeds) <= share
        )
        misses += [one for one in found if one.is_lie]
    seconds = time.monotonic() - began
    explained(misses, asked.out, shrunk=0 if asked.no_shrink else SHRUNK)
    left_out = unmet(tally)
    text = report(tally, seconds)
    print(text)
    for fault in left_out:
        print(f"never occurred, in {tally.operations:,} operations: {fault}")
    for name in tally.missing[:10]:
        print(f"unheard of, though nothing was lost: {name}")
    if asked.report is not None:
        page = asked.report.read_text(encoding="utf-8") if asked.report.exists() else HEAD
        asked.report.write_text(placed(page, text), encoding="utf-8")
        if others is not None:
            told(others, asked.out / "in-path", asked.seed, OPERATIONS, asked.report)
    return 1 if tally.lies or left_out else 0


def explained(misses: Sequence[Checked], out: Path, shrunk: int = SHRUNK) -> None:
    """Tell each kind of miss, and its smallest reproduction, which is also written down so that it can be a test."""
    for group in kinds(misses):
        print(f"\n{told_misses(group)}")
    for group in kinds(misses)[:shrunk]:
        least = reproduced(group[0], out / "shrinking")
        if least is None:
            print(f"\nAlone, this did not go wrong again: {planned(group[0].plan)}")
        else:
            path = write_case(least, out / "cases")
            print(f"\nThe smallest reproduction found, kept in {path}:\n{story(least)}")


def _again(paths: Sequence[Path], folder: Path) -> int:
    """Carry out cases again, all in one world."""
    shutil.rmtree(folder, ignore_errors=True)
    run(read_cases(paths), folder, seed=0)
    misses = [one for one in check(folder) if one.is_lie]
    for one in misses:
        print(story(one))
    print(f"{len(paths)} carried out again, {len(misses)} lies")
    return 1 if misses else 0


def _asked() -> argparse.Namespace:
    words = argparse.ArgumentParser(prog="make prove", description=__doc__)
    words.add_argument("--operations", type=int, default=BATCH, help="how many, over all seeds")
    words.add_argument("--seeds", type=int, default=30, help="how many seeds they are drawn from")
    words.add_argument("--seed", type=int, default=1, help="the first of them")
    words.add_argument("--out", type=Path, default=Path("build/prove"), help="the folder of recorded runs")
    words.add_argument("--keep", action="store_true", help="keep every batch's records, not only those with misses")
    words.add_argument("--no-shrink", action="store_true", help="tell misses as they are")
    words.add_argument("--case", type=Path, nargs="+", metavar="FILE", help="only carry out again what was kept there")
    words.add_argument("--report", type=Path, help="the page to put the tables into")
    return words.parse_args()


def _batch(batch: Sequence[Plan], folder: Path, tally: Tally, others: Scores | None, *, keep: bool) -> list[Checked]:
    shutil.rmtree(folder, ignore_errors=True)
    run(batch, folder, batch[0].seed)
    checked = check(folder)
    write_checked(checked, folder / "checked.jsonl")
    tally.add(batch, checked, truth(folder))
    if others is not None:
        others.add(folder)
    if not keep and not any(one.is_lie for one in checked):
        shutil.rmtree(folder)
    print(f"{len(batch):,} plans carried out and checked, {tally.lies} lies so far", file=sys.stderr)
    return checked


if __name__ == "__main__":
    sys.exit(main())
