"""Logfire's files, by their path below `dashboards/logfire`."""

from __future__ import annotations

from dashboards.src.logfire import health, operations, overview
from dashboards.src.logfire.alerts import ALERTS, sql
from dashboards.src.logfire.perses import SERVICE, TOOL, dashboard
from dashboards.src.logfire.terraform import main_tf
from dashboards.src.text import as_json

DASHBOARDS = (
    dashboard(
        "counterfoil-overview",
        "Overview",
        "Did what the agents did really happen, and only once?",
        [SERVICE, TOOL],
        overview.PANELS,
    ),
    dashboard(
        "counterfoil-operations",
        "Operations",
        "One tool: how often it is tried, what its spans say, what is known of the effect.",
        [SERVICE, TOOL],
        operations.PANELS,
    ),
    dashboard(
        "counterfoil-health",
        "Health of the judge",
        "Does the judge run, does it see everything, does it lose anything?",
        [SERVICE],
        health.PANELS,
    ),
)


def files() -> dict[str, str]:
    """Text of every generated file."""
    titles = {board["metadata"]["name"]: board["spec"]["display"]["name"] for board in DASHBOARDS}
    return {
        **{f"{board['metadata']['name']}.json": as_json(board) for board in DASHBOARDS},
        **{f"alerts/{alert.name}.sql": sql(alert) for alert in ALERTS},
        "main.tf": main_tf(titles),
    }
