"""`python -m prove.beside FOLDER … --report docs/proof.md`: set others beside us on recorded runs, and put that into a
page. `make prove REPORT=…` does the same of the runs that it makes."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from prove.beside import attempts, ghostspan_scan, ours, references, span_errors
from prove.beside.in_path import OPERATIONS, judged
from prove.beside.page import BEGIN, END, page
from prove.beside.picture import drawn
from prove.beside.scores import Question, Scores
from prove.report import HEAD, placed

PICTURES = {Question.TWICE: "proof.png", Question.WRONG: "proof-not-once.png"}


def recorded() -> Scores:
    """An empty score of all who can judge a recorded run."""
    modules = (span_errors, attempts, references, ghostspan_scan, ours)
    return Scores(tuple(module.CONTENDER for module in modules))


def told(scores: Scores, folder: Path, seed: int, operations: int, report: Path) -> None:
    """Make the runs that need a contender in the path, and put all scores and pictures into the page."""
    in_path = judged(folder, seed, operations) if operations else []
    pictures = report.parent / "pictures"
    seen = [
        (f"Precision and recall by fault: {question.words}", drawn(scores, question, pictures / name))
        for question, name in PICTURES.items()
    ]
    beside = [(words, os.path.relpath(path, report.parent)) for words, path in seen]
    text = report.read_text(encoding="utf-8") if report.exists() else HEAD
    report.write_text(placed(text, page(scores, in_path, beside), BEGIN, END), encoding="utf-8")


def main() -> None:
    words = argparse.ArgumentParser(prog="python -m prove.beside", description=__doc__)
    words.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="of a recorded run")
    words.add_argument("--report", type=Path, required=True, help="the page to put the tables into")
    words.add_argument("--in-path", type=int, default=OPERATIONS, help="operations of each run with a contender in it")
    words.add_argument("--seed", type=int, default=1, help="the first seed of those runs")
    words.add_argument("--out", type=Path, default=Path("build/prove/in-path"), help="the folder of those runs")
    asked = words.parse_args()
    scores = recorded()
    for folder in asked.folders:
        scores.add(folder)
    told(scores, asked.out, asked.seed, asked.in_path, asked.report)


if __name__ == "__main__":
    main()
