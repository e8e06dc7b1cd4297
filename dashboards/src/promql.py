"""Expressions that both the rules and the dashboards use. Names are those of Prometheus' default translation."""

from __future__ import annotations

from dashboards.src.policy import REMEMBERED_FOR


def newly(selector: str, window: str, remembered: str = REMEMBERED_FOR) -> str:
    """How much each series of a counter rose within `window`, also when it was born in it.

    `increase()` alone misses the first step of a counter whose first sample is 1, which is how a rare event looks when
    nothing was initialised. A series counts as born when it had no sample in the time `remembered` before the window;
    looking at one instant instead (`offset` alone) would mistake every gap between two scrapes for a birth.
    """
    return (
        f"(max_over_time({selector}[{window}]) unless last_over_time({selector}[{remembered}] offset {window}))\n"
        f"or\n"
        f"increase({selector}[{window}])"
    )


def summed(by: str, expression: str) -> str:
    """A sum over several lines, so that a person can read it in a browser."""
    return f"sum by ({by}) (\n{indented(expression)}\n)"


def indented(expression: str, by: int = 2) -> str:
    """Every line of an expression moved to the right."""
    return "\n".join(" " * by + line for line in expression.splitlines())
