"""The objective: burn rates on two windows where there is traffic, counts where there is little."""

from __future__ import annotations

from dashboards.src.policy import BUDGET, MINIMUM_OPERATIONS, OBJECTIVE, QUIET_DOUBTS
from dashboards.src.prometheus.rule import Alert, Group, Recording, Severity
from dashboards.src.promql import newly, summed
from dashboards.src.words import BAD, DECIDED

SHARE = "job:counterfoil_operations_bad:ratio_increase{}"
"""Share of a job's decided operations with a bad verdict, over one window. Absent where nothing was decided."""

DECISIONS = "job:counterfoil_operations_decided:increase{}"
"""How many operations of a job were decided, over one window."""


def _share(window: str) -> Recording:
    # The denominator is left out where it is 0: no operations is neither good nor bad, and never NaN.
    return Recording(
        SHARE.format(window),
        f"sum by (job) (increase(counterfoil_verdicts_total{{{BAD}}}[{window}]))\n"
        f"/\n"
        f"(sum by (job) (increase(counterfoil_verdicts_total{{{DECIDED}}}[{window}])) > 0)",
    )


def _decisions(window: str) -> Recording:
    return Recording(
        DECISIONS.format(window), f"sum by (job) (increase(counterfoil_verdicts_total{{{DECIDED}}}[{window}]))"
    )


RECORDED = Group(
    "counterfoil.budget.recorded",
    (
        *(_share(window) for window in ("5m", "30m", "1h", "2h", "6h", "1d", "3d")),
        *(_decisions(window) for window in ("1h", "6h", "1d", "3d")),
    ),
)


def _burn(name: str, severity: Severity, *, factor: float, long: str, short: str, wait: str) -> Alert:
    """Fires when both windows spend the budget `factor` times faster than the objective allows.

    The long window says that it matters, the short one that it still goes on. Factors and windows are those of the
    SRE Workbook for a budget of 30 days.
    """
    return Alert(
        name=name,
        severity=severity,
        expr=(
            f"(\n"
            f"  {SHARE.format(long)} > ({factor:g} * {BUDGET:g})\n"
            f"and\n"
            f"  {SHARE.format(short)} > ({factor:g} * {BUDGET:g})\n"
            f")\n"
            f"and\n"
            f"{DECISIONS.format(long)} >= {MINIMUM_OPERATIONS}"
        ),
        wait=wait,
        keep="10m",
        labels={"slo": "counterfoil-operations", "long_window": long, "short_window": short},
        summary="{{ $labels.job }}: tool calls end badly or in doubt faster than the objective allows.",
        description=(
            f"{{{{ $value | humanizePercentage }}}} of the operations decided in {long} got a bad verdict or stayed in "
            f"doubt. That is more than {factor:g} times what an objective of {OBJECTIVE:.1%} leaves room for."
        ),
    )


QUIET = Alert(
    name="CounterfoilDoubtInQuietService",
    severity="ticket",
    # 2.5 for 3: increase() extrapolates, and three events can come out as 2.99.
    expr=(
        summed("job", newly(f"counterfoil_verdicts_total{{{BAD}}}", "6h", "1d"))
        + f" >= {QUIET_DOUBTS - 0.5}\n"
        + f"unless\n{DECISIONS.format('6h')} >= {MINIMUM_OPERATIONS}"
    ),
    summary="{{ $labels.job }}: several operations of a quiet service ended badly or in doubt.",
    description=(
        f"At least {QUIET_DOUBTS} in 6 h, of fewer than {MINIMUM_OPERATIONS}. With so few a share would mislead, so "
        "this rule counts."
    ),
)

ALERTS = Group(
    "counterfoil.budget",
    (
        _burn("CounterfoilBudgetBurnFast", "page", factor=14.4, long="1h", short="5m", wait="2m"),
        _burn("CounterfoilBudgetBurn", "page", factor=6, long="6h", short="30m", wait="15m"),
        _burn("CounterfoilBudgetBurnSlow", "ticket", factor=3, long="1d", short="2h", wait="1h"),
        _burn("CounterfoilBudgetLeak", "ticket", factor=1, long="3d", short="6h", wait="3h"),
        QUIET,
    ),
)
