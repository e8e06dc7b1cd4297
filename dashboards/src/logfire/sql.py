"""SQL that several panels and alerts share. It is what Logfire runs: DataFusion, with JSON operators and `time_bucket`.

A verdict is told again when it is revised, so most questions are about the newest telling of each operation.
"""

from __future__ import annotations

from collections.abc import Iterable

from dashboards.src.words import GOOD, PENDING, SEVERE

SPANS = "kind = 'span' AND otel_scope_name = 'counterfoil' AND attributes->>'counterfoil.verdict' IS NOT NULL"
"""Verdict spans. The log event of the same name carries the same attributes and would count everything twice."""


def text(key: str) -> str:
    """An attribute as text."""
    return f"attributes->>'{key}'"


def words(of: Iterable[str]) -> str:
    """A list for IN."""
    return "(" + ", ".join(f"'{word}'" for word in of) + ")"


VERDICT = text("counterfoil.verdict")
OPERATION = text("counterfoil.operation.id")
TOOL = text("gen_ai.tool.name")
IS_SEVERE = f"{VERDICT} IN {words(SEVERE)}"
IS_PENDING = f"coalesce({text('counterfoil.reason')}, '') IN {words(PENDING)}"
IS_DECIDED = f"{VERDICT} <> 'healthy' AND NOT {IS_PENDING}"
IS_UNVERIFIED = f"{text('counterfoil.reason')} = 'unverified'"
IS_GOOD = f"{VERDICT} IN {words(GOOD)}"
IS_OPEN = f"{IS_SEVERE} AND coalesce({text('counterfoil.resolved')}, 'false') <> 'true'"

CHOSEN = f"service_name LIKE $service AND coalesce({TOOL}, '') LIKE $tool"
"""What the dashboard's variables choose. `%` is everything."""

NEWEST = f"""WITH newest AS (
  SELECT *, row_number() OVER (
    PARTITION BY service_name, {OPERATION}
    ORDER BY ({text("counterfoil.revision")})::bigint DESC, start_timestamp DESC
  ) AS nth
  FROM records
  WHERE {SPANS} AND {CHOSEN}
)
"""
"""The newest telling of each operation: `SELECT … FROM newest WHERE nth = 1`."""


def rose(metric: str, column: str, key: str) -> str:
    """How much a counter rose within an alert's window, for each value of one of its attributes."""
    rise = "metric_increase(value, recorded_timestamp)"
    return (
        f"SELECT service_name, {text(key)} AS {column}, {rise} AS rise\nFROM metrics\n"
        f"WHERE metric_name = '{metric}'\nGROUP BY service_name, {column}\nHAVING {rise} > 0"
    )
