"""Charts for the page, drawn from what benches printed: the hot path, the core by size, an audit by lines, an alert."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

LOOKS = {"audit": ("#000000", "o"), "DuckDB": ("#0072B2", "s"), "jq": ("#D55E00", "^")}
BARS = {"none": "#bbbbbb", "batch": "#56B4E9", "ours": "#E69F00", "batch + ours": "#0072B2"}
"""Colours of Okabe and Ito, which people with any kind of colour blindness can tell apart."""

GROWTH = re.compile(r"^ *([\d,]+) +(audit|DuckDB|jq) +([\d.]+) +([\d,.]+) +[\d.]+$", re.MULTILINE)
THREAD = re.compile(r"^  (none|batch|ours|batch \+ ours) +calling thread +([\d.]+)", re.MULTILINE)


CORE = re.compile(r"^ *([\d,]+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)$", re.MULTILINE)
ALERT = re.compile(r"^(settles .+): p50 ([\d.]+), from ([\d.]+) to ([\d.]+)", re.MULTILINE)


def growth(text: str) -> Figure:
    """CPU time and memory against lines, each axis by powers of ten, so that in proportion is a straight line."""
    rows = [(int(size.replace(",", "")), who, float(cpu), float(mb)) for size, who, cpu, mb in GROWTH.findall(text)]
    figure = Figure(figsize=(9.5, 3.8), layout="constrained")
    for axes, place, label in zip(figure.subplots(1, 2), (2, 3), ("CPU seconds", "peak memory, MB"), strict=True):
        for who, (colour, marker) in LOOKS.items():
            points = [(row[0], row[place]) for row in rows if row[1] == who]
            if points:
                axes.plot(*zip(*points, strict=True), color=colour, marker=marker, label=who)
        axes.set(xscale="log", yscale="log", xlabel="lines", ylabel=label)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter("{x:,g}")
            axis.set_minor_formatter(NullFormatter())
        _plain(axes, "both")
    figure.axes[0].legend(frameon=False)
    figure.suptitle("An audit of a file, beside DuckDB and jq on the same file", x=0.01, ha="left", fontweight="bold")
    return figure


def hot_path(text: str) -> Figure:
    """What a span costs on the thread that makes it, by what is installed."""
    found = THREAD.findall(text)
    halves = (found[: len(BARS)], found[len(BARS) :])
    figure = Figure(figsize=(9.5, 2.6), layout="constrained")
    for axes, half, title in zip(
        figure.subplots(1, 2), halves, ("unrelated span", "tool span with two requests"), strict=True
    ):
        names, costs = [name for name, _ in half][::-1], [float(cost) for _, cost in half][::-1]
        bars = axes.barh(names, costs, color=[BARS[name] for name in names])
        axes.bar_label(bars, fmt="%.1f", padding=3)
        axes.set(xlabel="microseconds on the calling thread", xlim=(0, 1.15 * max(costs, default=1)))
        axes.set_title(title, loc="left", fontsize=9)
        _plain(axes, "x")
    figure.suptitle("What a span costs the thread that makes it", x=0.01, ha="left", fontweight="bold")
    return figure


def by_size(text: str) -> Figure:
    """What the core costs against the number of operations: flat is what is hoped for."""
    rows = [(int(size.replace(",", "")), *map(float, costs)) for size, *costs in CORE.findall(text)]
    titles = ("fold, µs a fact", "judge, µs an operation", "tell, µs an operation", "open, kB an operation")
    figure = Figure(figsize=(9.5, 2.6), layout="constrained")
    for place, (axes, title) in enumerate(zip(figure.subplots(1, 4), titles, strict=True), start=1):
        axes.plot([row[0] for row in rows], [row[place] for row in rows], color="#0072B2", marker="o", clip_on=False)
        axes.set(xscale="log", ylim=(0, None), xlabel="operations")
        axes.set_title(title, loc="left", fontsize=9)
        _plain(axes, "both")
    figure.suptitle("What the core costs, by how many operations there are", x=0.01, ha="left", fontweight="bold")
    return figure


def alerts(text: str) -> Figure:
    """From the second effect to the pager: the median, and the range of all runs."""
    rows = [(words, *map(float, numbers)) for words, *numbers in ALERT.findall(text)][::-1]
    figure = Figure(figsize=(9.5, 0.5 * len(rows) + 1.2), layout="constrained")
    axes = figure.subplots()
    middle = [row[1] for row in rows]
    reach = ([row[1] - row[2] for row in rows], [row[3] - row[1] for row in rows])
    axes.barh([row[0] for row in rows], middle, xerr=reach, height=0.6, color="#56B4E9", capsize=3)
    axes.set(xlabel="seconds: the median of some runs, and their range")
    axes.tick_params(axis="y", length=0)
    _plain(axes, "x")
    figure.suptitle("From the second effect to the pager", x=0.01, ha="left", fontweight="bold")
    return figure


def _plain(axes: Axes, grid: str) -> None:
    axes.set_axisbelow(True)
    axes.grid(axis="both" if grid == "both" else "x", color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


CHARTS: Mapping[str, tuple[str, str, Callable[[str], Figure]]] = {
    "processor": ("performance-hot-path.png", "Cost of a span on the calling thread", hot_path),
    "core": ("performance-core.png", "CPU time and memory of the core against operations", by_size),
    "alert": ("performance-alert.png", "Seconds from the second effect to the pager", alerts),
    "others": ("performance-growth.png", "CPU time and memory of an audit against lines", growth),
}
"""By bench: the picture's name, what it shows, and what draws it."""


def drawn(bench: str, text: str, folder: Path) -> str:
    """The line of Markdown that shows a bench's chart; nothing where it has none, or was left out. ``folder``: the
    page's."""
    if bench not in CHARTS or text.startswith("left out"):
        return ""
    name, words, draw = CHARTS[bench]
    pictures = folder / "pictures"
    pictures.mkdir(exist_ok=True)
    with mpl.rc_context({"font.size": 9, "savefig.facecolor": "white"}):
        draw(text).savefig(pictures / name, dpi=130, metadata={"Software": None})
    return f"![{words}](pictures/{name})\n\n"
