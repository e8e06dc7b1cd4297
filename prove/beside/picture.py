"""Precision and recall by fault, drawn. Shapes and colours both tell the contenders apart; the ground is white."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from prove.beside.page import LEAST
from prove.beside.scores import EVERY, Question, Scores

LOOKS = {  # colours of Okabe and Ito, which people with any kind of colour blindness can tell apart
    "counterfoil": ("#000000", "o"),
    "span errors": ("#E69F00", "v"),
    "attempts": ("#D55E00", "s"),
    "references": ("#0072B2", "^"),
    "ghostspan": ("#009E73", "D"),
}
ROW_IN, WIDTH_IN = 0.24, 9.5


def drawn(scores: Scores, question: Question, out: Path) -> Path:
    """A row for each fault under which the question has at least `LEAST` true answers."""
    asked = scores.asked(question)
    rows = [fault for fault in (*reversed(scores.faults), EVERY) if _true(scores, fault, question) >= LEAST]
    with mpl.rc_context({"font.size": 9, "savefig.facecolor": "white", "svg.hashsalt": "counterfoil"}):
        figure = Figure(figsize=(WIDTH_IN, ROW_IN * len(rows) + 1.5), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        left.set_yticks(range(len(rows)), rows)
        for axes, kind in ((left, "precision"), (right, "recall")):
            _panel(axes, kind, scores, question, rows)
        figure.suptitle(f"Which operations {question.words}", x=0.01, ha="left", fontsize=12, fontweight="bold")
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(asked), frameon=False)
        out.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(out, dpi=130, metadata={"Software": None})
    return out


def _panel(axes: Axes, kind: str, scores: Scores, question: Question, rows: Sequence[str]) -> None:
    asked = scores.asked(question)
    step = 0.5 / max(1, len(asked) - 1)
    for number, one in enumerate(asked):
        colour, marker = LOOKS[one.name]
        shares = [getattr(scores.score(one.name, fault, question), kind) for fault in rows]
        points = [(100 * part, row + 0.25 - step * number) for row, part in enumerate(shares) if part is not None]
        across, down = zip(*points, strict=True) if points else ((), ())
        axes.scatter(across, down, s=26, color=colour, marker=marker, label=one.name, zorder=3, clip_on=False)
    for row in range(0, len(rows), 2):
        axes.axhspan(row - 0.5, row + 0.5, color="#f2f2f2", zorder=0)
    axes.set(xlim=(0, 100), ylim=(-0.5, max(0.5, len(rows) - 0.5)), xlabel=f"{kind}, %")
    axes.tick_params(length=0)
    axes.grid(axis="x", color="#cccccc", linewidth=0.6)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _true(scores: Scores, fault: str, question: Question) -> int:
    return scores.score(scores.contenders[0].name, fault, question).true
