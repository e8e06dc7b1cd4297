"""Overview: does a person have to act now?"""

from __future__ import annotations

from dashboards.src.logfire.perses import Panel, over_time
from dashboards.src.logfire.sql import (
    CHOSEN,
    IS_DECIDED,
    IS_OPEN,
    IS_SEVERE,
    IS_UNVERIFIED,
    NEWEST,
    OPERATION,
    SPANS,
    TOOL,
    VERDICT,
    text,
)

PANELS = (
    Panel(
        "Open",
        "Values",
        "Open incidents",
        "Operations whose newest verdict needs a person. A retry makes it worse.",
        f"{NEWEST}SELECT count(*) FILTER (WHERE {IS_OPEN}) AS open_incidents FROM newest WHERE nth = 1",
        6,
        4,
        ("open_incidents",),
    ),
    Panel(
        "Operations",
        "Values",
        "Operations judged",
        "0 means that nothing was judged, not that all is well: look at the dashboard on health.",
        f"{NEWEST}SELECT count(*) AS operations FROM newest WHERE nth = 1",
        6,
        4,
        ("operations",),
    ),
    Panel(
        "Coverage",
        "Values",
        "Evidence coverage (%)",
        "Share of the decided operations that could be verified at all. The rest were clean calls without a receipt.",
        f"{NEWEST}SELECT round((100.0 * count(*) FILTER (WHERE {IS_DECIDED} AND NOT coalesce({IS_UNVERIFIED}, false))\n"
        f"  / NULLIF(count(*) FILTER (WHERE {IS_DECIDED}), 0))::numeric, 1) AS coverage_percent\n"
        f"FROM newest WHERE nth = 1",
        6,
        4,
        ("coverage_percent",),
    ),
    Panel(
        "Unverified",
        "Values",
        "Clean calls without a receipt",
        "They may all have worked. Declare where the receipt is, and they can be verified.",
        f"{NEWEST}SELECT count(*) FILTER (WHERE {IS_UNVERIFIED}) AS without_receipt FROM newest WHERE nth = 1",
        6,
        4,
        ("without_receipt",),
    ),
    Panel(
        "Verdicts",
        "TimeSeriesChart",
        "Verdicts",
        "Tellings by verdict. A verdict that was revised counts again under its new name.",
        f"SELECT time_bucket($resolution, start_timestamp) AS x, {VERDICT} AS verdict, count(*) AS tellings\n"
        f"FROM records WHERE {SPANS} AND {CHOSEN} GROUP BY x, verdict ORDER BY x",
        12,
        8,
        ("x", "verdict", "tellings"),
        by="verdict",
        options=over_time(stacked=True),
    ),
    Panel(
        "TimeToVerdict",
        "TimeSeriesChart",
        "Time to verdict (s)",
        "From the end of the last attempt to the verdict, where the attempt's span was kept.",
        f"SELECT time_bucket($resolution, v.start_timestamp) AS x,\n"
        f"  approx_percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM v.end_timestamp) - "
        f"extract(epoch FROM a.end_timestamp)) AS p50,\n"
        f"  approx_percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch FROM v.end_timestamp) - "
        f"extract(epoch FROM a.end_timestamp)) AS p95\n"
        f"FROM (SELECT * FROM records WHERE {SPANS} AND {CHOSEN}) v\n"
        f"JOIN records a ON a.trace_id = v.trace_id AND a.span_id = v.parent_span_id AND a.kind = 'span'\n"
        f"GROUP BY x ORDER BY x",
        12,
        8,
        ("x", "p50", "p95"),
        options=over_time(stacked=False),
    ),
    Panel(
        "ByTool",
        "Table",
        "Operations by tool and verdict",
        "By the newest verdict of each operation.",
        f"{NEWEST}SELECT {TOOL} AS tool, {VERDICT} AS verdict, count(*) AS operations\n"
        f"FROM newest WHERE nth = 1 GROUP BY tool, verdict ORDER BY operations DESC",
        12,
        9,
        ("tool", "verdict", "operations"),
        options={"query": ""},
    ),
    Panel(
        "Severe",
        "Table",
        "Severe verdicts, newest first",
        "The trace id opens the trace; the links of the verdict span lead to every witness.",
        f"SELECT start_timestamp, trace_id, span_id, {VERDICT} AS verdict, {TOOL} AS tool, {OPERATION} AS operation,\n"
        f"  {text('counterfoil.explanation')} AS why, {text('counterfoil.next_action')} AS next_action\n"
        f"FROM records WHERE {SPANS} AND {CHOSEN} AND {IS_SEVERE} ORDER BY start_timestamp DESC LIMIT 100",
        12,
        9,
        ("start_timestamp", "trace_id", "span_id", "verdict", "tool", "operation", "why", "next_action"),
        options={"query": ""},
    ),
)
