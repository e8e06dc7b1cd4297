"""What the three dashboards have in common, and their JSON."""

from __future__ import annotations

import json
from typing import Any

from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import DashboardCursorSync

from dashboards.src.grafana.links import UIDS, to_the_others
from dashboards.src.grafana.queries import SEVERE_NOW
from dashboards.src.grafana.sources import METRICS, Variables, data_sources

SCHEMA = 42


def frame(title: str, description: str, variables: Variables) -> dashboard.Dashboard:
    """An empty dashboard with its variables, its marks and its links."""
    uid = UIDS[title]
    made = dashboard.Dashboard(f"Counterfoil / {title}")
    made.uid(uid).description(description).tags(["counterfoil"]).readonly()
    made.refresh("1m").time("now-24h", "now").timezone("browser").tooltip(DashboardCursorSync.CROSSHAIR)
    for variable in (*data_sources(), *variables):
        made.with_variable(variable)
    for link in to_the_others(uid):
        made.link(link)
    return made.annotation(
        dashboard.AnnotationQuery()
        .name("Severe verdicts")
        .datasource(METRICS)
        .enable(True)
        .icon_color("red")
        .expr(SEVERE_NOW)
        .step("60s")
        .title_format("{{counterfoil_verdict}}")
        .text_format("{{gen_ai_tool_name}}")
        .tag_keys("counterfoil_verdict,gen_ai_tool_name")
    )


def content(made: dashboard.Dashboard) -> dict[str, Any]:
    """The dashboard as Grafana reads it. Panels get their numbers from their order, so links to them last."""
    plain: dict[str, Any] = json.loads(JSONEncoder(sort_keys=True).encode(made.build()))
    for number, panel in enumerate(plain["panels"], start=1):
        panel["id"] = number
    for link in plain["links"]:
        # The SDK hides links in a menu; without a placement they stand in the head, on every version of Grafana.
        del link["placement"]
    # Unpinned, the index serves older schemas of the SDK as newer ones.
    if plain["schemaVersion"] != SCHEMA:
        raise ValueError(
            f"schemaVersion {plain['schemaVersion']} instead of {SCHEMA}: install grafana-foundation-sdk==0.0.21"
        )
    return plain
