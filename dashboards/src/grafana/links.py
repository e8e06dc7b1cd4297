"""Ways from a panel to traces and from one dashboard to the next."""

from __future__ import annotations

import json
import re
import urllib.parse

from grafana_foundation_sdk.builders.dashboard import DashboardLink
from grafana_foundation_sdk.models.dashboard import DashboardLinkType, DynamicConfigValue

UIDS = {
    "Overview": "counterfoil-overview",
    "Operations": "counterfoil-operations",
    "Health of the judge": "counterfoil-health",
}

OPERATION = '{ span.counterfoil.operation.id = "OPERATION" }'
"""Every span of one operation, over all its traces: attempts, sightings by other services, verdicts."""

VERDICTS = '{ span.counterfoil.verdict = "VERDICT" } | select(span.counterfoil.operation.id, span.gen_ai.tool.name)'
"""Verdict spans with one verdict."""


def explore(traceql: str) -> str:
    """Address of a TraceQL query in Explore. Grafana fills in what stands in `${}`, also in an encoded address."""
    query = {"refId": "A", "datasource": {"type": "tempo", "uid": "${tempo}"}, "queryType": "traceql", "query": traceql}
    pane = {"datasource": "${tempo}", "queries": [query], "range": {"from": "${__from}", "to": "${__to}"}}
    encoded = urllib.parse.quote(json.dumps({"a": pane}, separators=(",", ":")))
    # Its variables must stay readable for Grafana.
    plain = re.sub(r"%24%7B.*?%7D", lambda found: urllib.parse.unquote(found[0]), encoded)
    return f"/explore?schemaVersion=1&orgId=1&panes={plain}"


def traces_of_verdict(label: str = "counterfoil_verdict") -> DashboardLink:
    """From a series to the verdict spans that it counts."""
    query = VERDICTS.replace("VERDICT", f"${{__field.labels.{label}}}")
    return DashboardLink("Verdict spans in Tempo").url(explore(query)).target_blank(True)


def traces_of_operation() -> DashboardLink:
    """From an operation id in a table to every span of that operation."""
    query = OPERATION.replace("OPERATION", "${__value.raw:percentencode}")
    return DashboardLink("Every span of this operation").url(explore(query)).target_blank(True)


def tool_in_operations() -> DashboardLink:
    """From a tool's name in a table to the dashboard about it."""
    return DashboardLink("This tool's operations").url(
        f"/d/{UIDS['Operations']}?${{__url_time_range}}&${{job:queryparam}}&var-tool=${{__value.raw:percentencode}}"
    )


def on_column(link: DashboardLink) -> list[DynamicConfigValue]:
    """A link on one column of a table, which is an override that the SDK doesn't build."""
    made = link.build()
    value = [{"title": made.title, "url": made.url, "targetBlank": bool(made.target_blank)}]
    return [DynamicConfigValue(id_val="links", value=value)]


def to_the_others(uid: str) -> list[DashboardLink]:
    """Links in the head of a dashboard to the other two, keeping time and variables."""
    return [
        DashboardLink(title)
        .type(DashboardLinkType.LINK)
        .url(f"/d/{other}")
        .icon("dashboard")
        .keep_time(True)
        .include_vars(True)
        for title, other in UIDS.items()
        if other != uid
    ]
