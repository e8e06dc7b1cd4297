"""PromQL that only the dashboards need. Rules have their own in `dashboards.src.prometheus`."""

from __future__ import annotations

from dashboards.src.grafana.sources import JOB, TOOL
from dashboards.src.policy import REMEMBERED_FOR
from dashboards.src.promql import indented, newly, summed
from dashboards.src.words import DECIDED, SEVERE_ONLY

BEAT = f"counterfoil_heartbeat_timestamp_seconds{{{JOB}}}"
VERDICTS = f"counterfoil_verdicts_total{{{TOOL}}}"

BEATS = f"time() - max by (job) ({BEAT}) < 600"
"""Jobs whose judge ran within ten minutes."""

OPEN_INCIDENTS = (
    # An open incident stays on the screen when its process dies; a 0 counts only as long as somebody is watching.
    f"sum by (counterfoil_verdict) (last_over_time(counterfoil_incidents_open{{{JOB}}}[15m])) > 0\n"
    f"or\n"
    f"sum by (counterfoil_verdict) (\n"
    f"  counterfoil_incidents_open{{{JOB}}}\n"
    f"  and on (job)\n"
    f"  ({BEATS})\n"
    f")"
)

SILENT_JOBS = (
    f"count(time() - max by (job) (max_over_time({BEAT}[{REMEMBERED_FOR}])) > 600)\n"
    f"or\n"
    f"0 * count(max by (job) (max_over_time({BEAT}[{REMEMBERED_FOR}])))"
)

OLDEST = f"max(counterfoil_operation_oldest_age_seconds{{{JOB}}} and on (job) ({BEATS}))"


def rise(counter: str, by: str, window: str) -> str:
    """How much a counter rose, births included: most services do a few operations a day, so each is a birth."""
    return summed(by, newly(counter, window))


def coverage(by: str = "") -> str:
    """Share of decided operations that had any evidence of their effect, over the time range."""
    decided = f"counterfoil_verdicts_total{{{TOOL}, {DECIDED}}}"
    without = f'counterfoil_verdicts_total{{{TOOL}, counterfoil_reason="unverified"}}'
    return f"1 - (\n{indented(share(without, decided, by))}\n)"


def share(part: str, whole: str, by: str) -> str:
    """What share of a counter's rise over the time range another one has; 0 where that one didn't rise."""
    of_part, of_whole = rise(part, by, "$__range"), rise(whole, by, "$__range")
    either = f"{of_part}\nor\n0 * {of_whole}"
    return f"(\n{indented(either)}\n)\n/\n(\n{indented(of_whole)} > 0\n)"


def rose(counter: str, by: str) -> str:
    """How much a counter rose per interval, where it rose."""
    return rise(counter, by, "$__rate_interval") + " > 0"


def total(counter: str, by: str) -> str:
    """How much a counter rose over the whole time range, as whole numbers, where it rose."""
    # Severe series exist with 0 and without a tool from the start, which is no row of a table.
    return f"round({rise(counter, by, '$__range')}) > 0"


def quantile(share: float, matchers: str, by: str = "") -> str:
    """A quantile of the time from intent to verdict, of each value of a label where one is named."""
    buckets = f"counterfoil_verdict_duration_seconds_bucket{{{matchers}}}"
    group = f"le, {by}" if by else "le"
    # Where nothing was decided the quantile is NaN, which no comparison holds for; one NaN empties a whole chart.
    return f"histogram_quantile({share:g}, {rise(buckets, group, '$__rate_interval')}) >= 0"


SEVERE_NOW = (
    summed(
        "counterfoil_verdict, gen_ai_tool_name",
        newly(f"counterfoil_verdicts_total{{{JOB}, {SEVERE_ONLY}}}", "5m"),
    )
    + " > 0"
)
"""Severe verdicts of the last five minutes, for the marks on every time axis."""
