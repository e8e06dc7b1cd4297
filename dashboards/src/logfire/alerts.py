"""Alerts: a query that returns rows when a person should hear of it, and how often Logfire asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dashboards.src.logfire.sql import IS_SEVERE, IS_UNVERIFIED, OPERATION, SPANS, TOOL, VERDICT, rose, text


@dataclass(frozen=True, slots=True)
class SqlAlert:
    """One alert. Where window and frequency are equal, every row is told once."""

    name: str
    description: str
    runbook: str
    """The alert of the Prometheus rules that asks the same; its page says what to do."""
    query: str
    columns: tuple[str, ...]
    window: str
    frequency: str
    notify: Literal["has_matches", "starts_having_matches", "has_matches_changed"]


SHOWN = f"trace_id, span_id, service_name, {VERDICT} AS verdict, {TOOL} AS tool, {OPERATION} AS operation"
COLUMNS = ("trace_id", "span_id", "service_name", "verdict", "tool", "operation")

ALERTS = (
    SqlAlert(
        "severe-verdict",
        "An effect in the real world is wrong. Don't retry: look at the trace and the operation's links.",
        "CounterfoilIncidentOpen",
        f"SELECT {SHOWN}, {text('counterfoil.explanation')} AS why\nFROM records\nWHERE {SPANS} AND {IS_SEVERE}\n"
        f"ORDER BY start_timestamp DESC",
        (*COLUMNS, "why"),
        "1m",
        "1m",
        "has_matches",
    ),
    SqlAlert(
        "unsafe-retry",
        "A call went out again where the provider could not know it.",
        "CounterfoilUnsafeRetrySeen",
        f"SELECT {SHOWN}, {text('counterfoil.attempt.count')} AS attempts\nFROM records\n"
        f"WHERE {SPANS} AND {text('counterfoil.findings')} LIKE '%unsafe_retry%'\nORDER BY start_timestamp DESC",
        (*COLUMNS, "attempts"),
        "5m",
        "5m",
        "has_matches",
    ),
    SqlAlert(
        "doubt-past-its-deadline",
        "An operation may have taken effect and nobody knows. Probe or ask; never retry on a guess.",
        "CounterfoilVerificationStuck",
        f"SELECT {SHOWN}, {text('counterfoil.reason')} AS reason\nFROM records\n"
        f"WHERE {SPANS} AND {VERDICT} = 'indeterminate' AND {text('counterfoil.severity')} = 'ticket'\n"
        f"  AND NOT coalesce({IS_UNVERIFIED}, false)\nORDER BY start_timestamp DESC",
        (*COLUMNS, "reason"),
        "5m",
        "5m",
        "has_matches",
    ),
    SqlAlert(
        "judge-silent",
        "A judge that ran today has not run for ten minutes. No alert is now not the same as no incident.",
        "CounterfoilTelemetryMissing",
        # By the heartbeat's own time: a series that is still exported by somebody else is no sign of life.
        "SELECT service_name, round((extract(epoch FROM now()) - max(scalar_value))::numeric, 0) AS seconds_ago\n"
        "FROM metrics\nWHERE metric_name = 'counterfoil.heartbeat.timestamp'\nGROUP BY service_name\n"
        "HAVING extract(epoch FROM now()) - max(scalar_value) > 600",
        ("service_name", "seconds_ago"),
        "24h",
        "5m",
        "has_matches_changed",
    ),
    SqlAlert(
        "facts-dropped",
        "Evidence was lost. A lost fact can hide a bad verdict but not invent one.",
        "CounterfoilFactsDropped",
        rose("counterfoil.facts.dropped", "cause", "error.type"),
        ("service_name", "cause", "rise"),
        "15m",
        "15m",
        "starts_having_matches",
    ),
    SqlAlert(
        "errors-inside-counterfoil",
        "A reader, a rule, a probe or the ledger failed. The application was not disturbed.",
        "CounterfoilErrors",
        rose("counterfoil.errors", "error", "error.type"),
        ("service_name", "error", "rise"),
        "15m",
        "15m",
        "starts_having_matches",
    ),
)


def sql(alert: SqlAlert) -> str:
    """The text of its file."""
    return (
        f"-- {alert.description}\n"
        f"-- Window {alert.window}, every {alert.frequency}, notify when: {alert.notify}.\n"
        f"-- Runbook: runbooks/{alert.runbook}.md\n"
        f"{alert.query}\n"
    )
