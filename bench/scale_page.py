"""The page of figures for a fleet: what was printed, its pictures, and what follows from it, all made by the bench."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.scale_charts import again, drawn, growth, histories, partitions
from bench.scale_runs import Measured

SECTION = "<!-- simulated -->"
"""What `bench.simulation` writes follows this line; what `bench.scale` writes is before it."""

TOY_SPARK_US, TIMES = 340, 3
"""What a fact cost in the sketch that preceded this, on Spark and all in, and how much cheaper it was to become."""


def page(folder: Path, printed: Sequence[str], measured: Sequence[Measured], command: str) -> None:
    path = folder / "fleet-figures.md"
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    simulated = before.partition(SECTION)[2]
    parts = [
        "# What engines for a fleet cost\n",
        f"Printed by `{command}`. CPU time of all processes that took part, from a line of evidence to a verdict.\n"
        "Trust what is compared within one run more than any figure: the machine is named, and its load.\n",
        "## What follows\n",
        "\n".join(f"- {one}" for one in findings(measured)) + "\n",
        drawn(
            folder,
            "fleet-growth.png",
            "CPU time a fact, by number of facts",
            lambda: growth(_points(measured, "facts")),
        ),
        drawn(
            folder,
            "fleet-again.png",
            "CPU time a fact of an archive that is judged again",
            lambda: again(_points(measured, "again")),
        ),
        drawn(folder, "fleet-partitions.png", "Work by number of partitions", lambda: partitions(_shares(measured))),
        drawn(
            folder, "fleet-history.png", "CPU time a fact, by length", lambda: histories(_points(measured, "history"))
        ),
        "## All figures\n",
        "```text\n" + "\n".join(printed).strip() + "\n```\n",
    ]
    text = "\n".join(parts)
    path.write_text(f"{text}\n{SECTION}{simulated}" if simulated else text, encoding="utf-8")


def findings(measured: Sequence[Measured]) -> Iterable[str]:
    """Sentences, each about figures of this run."""
    for engine in _engines(measured, "facts") + _engines(measured, "again"):
        rows = _rows(measured, "facts", engine) or _rows(measured, "again", engine)
        if len(rows) > 1 and engine != "spark":
            yield (
                f"{engine}: each further fact up to {rows[-1].value:,} costs {slope(rows):.0f} us; each of the first "
                f"{rows[0].value:,} costs {rows[0].us:.0f} us, start-up in it."
            )
    for engine in _engines(measured, "partitions"):
        rows = _rows(measured, "partitions", engine)
        if not all(row.is_clear for row in rows):
            yield f"{engine}: what {rows[0].facts:,} facts cost can't be told from what a start, taken off, varies by."
            continue
        if len(rows) < 2:
            continue
        worst = max(abs(row.us / rows[0].us - 1) for row in rows)
        word = "within" if worst <= 0.2 else "not within"
        yield f"{engine}: {rows[-1].value} partitions are {word} 20 % of one ({worst:+.0%} at most)."
    for engine in _engines(measured, "history"):
        rows = [row for row in _rows(measured, "history", engine) if row.value > 1]
        if not all(row.is_clear for row in rows):
            yield f"{engine}: what a history costs can't be told from what the start of a stream, taken off, varies by."
        elif len(rows) > 1:
            yield f"{engine}: an operation costs its length to the power of {exponent(rows):.2f}; 2 were quadratic."
    for what, words in (("skew", "one operation with a tenth of all facts"), ("late", "a tenth of all facts late")):
        for engine in _engines(measured, what):
            by_value = {row.value: row.us for row in _rows(measured, what, engine) if row.is_clear}
            if {0, 1} <= by_value.keys():
                yield f"{engine}: {words} costs {by_value[1] / by_value[0]:.2f} times."
    yield from _about_spark(_rows(measured, "facts", "spark"), _rows(measured, "facts", "audit"))


def _about_spark(rows: Sequence[Measured], audit: Sequence[Measured]) -> Iterable[str]:
    if len(rows) < 2 or len(audit) < 2:
        return
    us, aim = slope(rows), TOY_SPARK_US / TIMES
    word = "met" if us <= aim else "missed"
    yield (
        f"spark: {us:.0f} us a further fact, beside {rows[-1].start_s:.0f} CPU seconds for a stream that has next to "
        f"nothing to do; aim {aim:.0f}, {word}. Reading and judging alone costs an audit in one process "
        f"{slope(audit):.0f} us a fact; the sketch behind the aim had rules of a few lines."
    )


def slope(rows: Sequence[Measured]) -> float:
    """Microseconds that each further fact costs, between the two largest sizes."""
    one, other = rows[-2:]
    return (other.us * other.value - one.us * one.value) / (other.value - one.value)


def exponent(rows: Sequence[Measured]) -> float:
    """Of what an operation costs by its length, fitted by least squares on logarithms."""
    points = [(math.log(row.value), math.log(max(row.us, 0.01) * row.value)) for row in rows]
    mean_x, mean_y = (sum(column) / len(points) for column in zip(*points, strict=True))
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def _engines(measured: Sequence[Measured], what: str) -> list[str]:
    return list(dict.fromkeys(one.engine for one in measured if one.what == what))


def _rows(measured: Sequence[Measured], what: str, engine: str) -> list[Measured]:
    return sorted((one for one in measured if (one.what, one.engine) == (what, engine)), key=lambda one: one.value)


def _points(measured: Sequence[Measured], what: str) -> list[tuple[str, float, float]]:
    return [
        (engine, row.value, row.us)
        for engine in _engines(measured, what)
        for row in _rows(measured, what, engine)
        if row.is_clear
    ]


def _shares(measured: Sequence[Measured]) -> list[tuple[str, float, float]]:
    return [
        (engine, row.value, row.us / rows[0].us)
        for engine in _engines(measured, "partitions")
        for rows in [_rows(measured, "partitions", engine)]
        if all(row.is_clear for row in rows)
        for row in rows
    ]
