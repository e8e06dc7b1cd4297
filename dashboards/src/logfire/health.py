"""Health of the judge, from its metrics."""

from __future__ import annotations

from dashboards.src.logfire.perses import Panel, over_time

CHOSEN = "service_name LIKE $service"


def _over_time(metric: str, by: str, name: str) -> str:
    return (
        f"SELECT time_bucket($resolution, recorded_timestamp) AS x, attributes->>'{by}' AS {name},\n"
        f"  metric_increase(value, recorded_timestamp) AS rise\n"
        f"FROM metrics WHERE metric_name = '{metric}' AND {CHOSEN} GROUP BY x, {name} ORDER BY x"
    )


PANELS = (
    Panel(
        "Heartbeat",
        "Table",
        "Time since each judge last ran (s)",
        "While this is large, nothing else here means anything. A service that never ran a judge isn't listed.",
        "SELECT service_name, round((extract(epoch FROM now()) - max(scalar_value))::numeric, 0) AS seconds_ago\n"
        f"FROM metrics WHERE metric_name = 'counterfoil.heartbeat.timestamp' AND {CHOSEN}\n"
        "GROUP BY service_name ORDER BY seconds_ago DESC",
        12,
        8,
        ("service_name", "seconds_ago"),
        options={"query": ""},
    ),
    Panel(
        "OldestAge",
        "TimeSeriesChart",
        "Oldest operation without a settled verdict (s)",
        "A line that goes on rising: a receipt, a webhook or a probe doesn't come.",
        "SELECT time_bucket($resolution, recorded_timestamp) AS x, service_name, max(scalar_value) AS oldest_seconds\n"
        f"FROM metrics WHERE metric_name = 'counterfoil.operation.oldest.age' AND {CHOSEN}\n"
        "GROUP BY x, service_name ORDER BY x",
        12,
        8,
        ("x", "service_name", "oldest_seconds"),
        by="service_name",
        options=over_time(stacked=False),
    ),
    Panel(
        "Facts",
        "TimeSeriesChart",
        "Facts read, by vocabulary",
        "What the verdicts rest on. None while tools are called means that no reader knows the spans.",
        _over_time("counterfoil.facts", "counterfoil.reader", "reader"),
        8,
        8,
        ("x", "reader", "rise"),
        by="reader",
        options=over_time(stacked=True),
    ),
    Panel(
        "Dropped",
        "TimeSeriesChart",
        "Facts dropped, by cause",
        "Evidence that was lost. It can hide a bad verdict but not invent one.",
        _over_time("counterfoil.facts.dropped", "error.type", "cause"),
        8,
        8,
        ("x", "cause", "rise"),
        by="cause",
        options=over_time(stacked=True),
    ),
    Panel(
        "Errors",
        "TimeSeriesChart",
        "Errors inside Counterfoil",
        "Errors that were kept from the application, by kind.",
        _over_time("counterfoil.errors", "error.type", "error"),
        8,
        8,
        ("x", "error", "rise"),
        by="error",
        options=over_time(stacked=True),
    ),
)
