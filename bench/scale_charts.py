"""Pictures of what `bench.scale` and `bench.simulation` measured; flat is what is hoped for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

LOOKS = {
    "audit": ("#999999", "o"),
    "audit-local": ("#000000", "s"),
    "sqlite": ("#0072B2", "^"),
    "postgres": ("#009E73", "D"),
    "spark": ("#D55E00", "v"),
    "archive": ("#999999", "o"),
    "archive-local": ("#000000", "s"),
    "archive-spark": ("#D55E00", "v"),
    "instructions": ("#CC79A7", "X"),
}
"""Colours of Okabe and Ito, which people with any kind of colour blindness can tell apart."""

Point = tuple[str, float, float]
"""Which line, and where on it."""


def lines(axes: Axes, points: Iterable[Point], x: str, y: str) -> None:
    known = list(points)
    for who in dict.fromkeys(point[0] for point in known):
        colour, marker = LOOKS.get(who, ("#56B4E9", "o"))
        axes.plot(*zip(*[p[1:] for p in known if p[0] == who], strict=True), color=colour, marker=marker, label=who)
    axes.set(xlabel=x, ylabel=y)
    axes.set_axisbelow(True)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def growth(points: Sequence[Point]) -> Figure:
    """Cost of a fact against how many there are."""
    return _costs(points, "facts", "What a fact costs, from evidence to a verdict")


def again(points: Sequence[Point]) -> Figure:
    """The same for facts that lie in an archive."""
    return _costs(points, "facts", "What a fact of an archive costs that is judged again")


def partitions(points: Sequence[Point]) -> Figure:
    """Cost of a fact in so many partitions, as a share of what it costs in one."""
    figure = Figure(figsize=(6.4, 3.4), layout="constrained")
    axes = figure.subplots()
    lines(axes, points, "partitions", "work, one partition = 1")
    axes.axhspan(0.8, 1.2, color="#eeeeee", zorder=0)
    axes.set(xscale="log", ylim=(0, None))
    axes.set_xticks([1, 2, 4, 8], ["1", "2", "4", "8"], minor=False)
    axes.minorticks_off()
    axes.legend(frameon=False)
    return _titled(figure, "The work in more partitions; grey is 20 % more or less")


def histories(points: Sequence[Point]) -> Figure:
    """Cost of an operation against how many facts it has."""
    title = "What a fact costs in a long history; quadratic would rise tenfold a step"
    return _costs(points, "facts in one operation", title)


def _costs(points: Sequence[Point], along: str, title: str) -> Figure:
    figure = Figure(figsize=(6.4, 3.4), layout="constrained")
    axes = figure.subplots()
    lines(axes, points, along, "CPU microseconds a fact")
    axes.set(xscale="log", yscale="log")
    axes.legend(frameon=False)
    return _titled(figure, title)


def fleets(figures: Sequence[tuple[str, str, Sequence[Point]]]) -> Figure:
    """Simulated fleets: a panel for each of what was asked."""
    figure = Figure(figsize=(9.5, 3.4), layout="constrained")
    for axes, (y, scale, points) in zip(figure.subplots(1, len(figures)), figures, strict=True):
        lines(axes, points, "workers", y)
        axes.set(xscale="log", yscale=scale)
        axes.legend(frameon=False)
    return _titled(figure, "Simulated: workers on one PostgreSQL, by the costs that were measured")


def _titled(figure: Figure, title: str) -> Figure:
    figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return figure


def drawn(folder: Path, name: str, words: str, draw: Callable[[], Figure]) -> str:
    """Draw into ``pictures`` beside a page. The page's line that shows it."""
    (folder / "pictures").mkdir(exist_ok=True)
    with mpl.rc_context({"font.size": 9, "savefig.facecolor": "white"}):
        draw().savefig(folder / "pictures" / name, dpi=130, metadata={"Software": None})
    return f"![{words}](pictures/{name})\n"
