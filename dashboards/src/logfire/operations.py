"""Operations: one tool, and what the status of its spans hides."""

from __future__ import annotations

from dashboards.src.logfire.perses import Panel, over_time
from dashboards.src.logfire.sql import CHOSEN, IS_PENDING, IS_UNVERIFIED, NEWEST, OPERATION, SPANS, TOOL, VERDICT, text

ATTEMPTS = f"({text('counterfoil.attempt.count')})::bigint"
REASON = text("counterfoil.reason")
HAS_UNSAFE_RETRY = f"{text('counterfoil.findings')} LIKE '%unsafe_retry%'"

PANELS = (
    Panel(
        "Attempts",
        "Table",
        "Attempts per operation, by tool",
        "More than one attempt is a retry. Whether it was a safe one is the column on the right.",
        f"{NEWEST}SELECT {TOOL} AS tool, count(*) AS operations, round(avg({ATTEMPTS})::numeric, 2) AS attempts_each,\n"
        f"  max({ATTEMPTS}) AS most_attempts, count(*) FILTER (WHERE {HAS_UNSAFE_RETRY}) AS unsafe_retries\n"
        f"FROM newest WHERE nth = 1 GROUP BY tool ORDER BY unsafe_retries DESC, attempts_each DESC",
        12,
        8,
        ("tool", "operations", "attempts_each", "most_attempts", "unsafe_retries"),
        options={"query": ""},
    ),
    Panel(
        "Against",
        "Table",
        "Status of the last attempt against the verdict",
        "What a dashboard of errors shows beside what is known of the effect, where the attempt's span was kept.",
        f"{NEWEST}SELECT coalesce(a.otel_status_code, 'UNSET') AS status, v.verdict, count(*) AS operations\n"
        f"FROM (SELECT trace_id, parent_span_id, {VERDICT} AS verdict FROM newest WHERE nth = 1) v\n"
        f"JOIN records a ON a.trace_id = v.trace_id AND a.span_id = v.parent_span_id AND a.kind = 'span'\n"
        f"GROUP BY status, v.verdict ORDER BY operations DESC",
        12,
        8,
        ("status", "verdict", "operations"),
        options={"query": ""},
    ),
    Panel(
        "Reasons",
        "BarChart",
        "Why operations are in doubt",
        "unverified is the everyday case: a clean call without a receipt. ambiguous may have taken effect.",
        f"{NEWEST}SELECT {REASON} AS reason, count(*) AS operations\n"
        f"FROM newest WHERE nth = 1 AND {VERDICT} = 'indeterminate' GROUP BY reason ORDER BY operations DESC",
        8,
        8,
        ("reason", "operations"),
    ),
    Panel(
        "UnsafeRetries",
        "TimeSeriesChart",
        "Unsafe retries",
        "Calls that went out again where the provider could not know it, whatever came of it.",
        f"SELECT time_bucket($resolution, start_timestamp) AS x, {TOOL} AS tool,\n"
        f"  count(DISTINCT {OPERATION}) AS operations\n"
        f"FROM records WHERE {SPANS} AND {CHOSEN} AND {HAS_UNSAFE_RETRY} GROUP BY x, tool ORDER BY x",
        16,
        8,
        ("x", "tool", "operations"),
        by="tool",
        options=over_time(stacked=True),
    ),
    Panel(
        "Oldest",
        "Table",
        "In doubt, the oldest first",
        "Operations whose newest verdict is in doubt for another reason than the lack of a receipt.",
        f"{NEWEST}SELECT start_timestamp AS told_at, trace_id, span_id, {TOOL} AS tool, {OPERATION} AS operation,\n"
        f"  {REASON} AS reason, {text('counterfoil.next_action')} AS next_action\n"
        f"FROM newest WHERE nth = 1 AND {VERDICT} = 'indeterminate' AND NOT coalesce({IS_UNVERIFIED}, false)\n"
        f"ORDER BY start_timestamp LIMIT 100",
        24,
        9,
        ("told_at", "trace_id", "span_id", "tool", "operation", "reason", "next_action"),
        options={"query": ""},
    ),
    Panel(
        "Waiting",
        "Values",
        "Waiting for time to pass",
        "Accepted, settling or awaiting approval by their newest verdict.",
        f"{NEWEST}SELECT count(*) FILTER (WHERE {IS_PENDING}) AS waiting FROM newest WHERE nth = 1",
        8,
        4,
        ("waiting",),
    ),
    Panel(
        "Twins",
        "Table",
        "Possible twins",
        "An operation with the same conversation, tool and request as an earlier one under another name. A hint: name "
        "the intent, and it can be judged.",
        f"{NEWEST}SELECT start_timestamp, trace_id, span_id, {TOOL} AS tool, {OPERATION} AS operation,\n"
        f"  {text('counterfoil.twin.of')} AS twin_of\n"
        f"FROM newest WHERE nth = 1 AND {text('counterfoil.twin.of')} IS NOT NULL\n"
        f"ORDER BY start_timestamp DESC LIMIT 50",
        16,
        4,
        ("start_timestamp", "trace_id", "span_id", "tool", "operation", "twin_of"),
        options={"query": ""},
    ),
)
