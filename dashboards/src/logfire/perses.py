"""Logfire's dashboard JSON: a Perses document with Logfire's own query plugins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

WIDTH = 24
"""Columns of the grid."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel: its query, and how large it is. `columns` are those that the query must return for it to be drawn."""

    key: str
    kind: Literal["Values", "Table", "BarChart", "TimeSeriesChart"]
    title: str
    description: str
    query: str
    width: int
    height: int
    columns: tuple[str, ...]
    by: str = ""
    """The column that names the series of a time series; its values are the other columns."""
    options: Mapping[str, Any] = field(default_factory=dict)

    def spelled(self) -> dict[str, Any]:
        """As Logfire reads it."""
        if self.kind == "TimeSeriesChart":
            # Without `metrics` and `groupBy` Logfire draws an empty chart, whatever the query returns.
            values = [name for name in self.columns if name not in ("x", self.by)]
            spec = {"query": self.query, "groupBy": self.by, "metrics": values}
            query = {"kind": "TimeSeriesQuery", "spec": {"plugin": {"kind": "LogfireTimeSeriesQuery", "spec": spec}}}
        else:
            plugin = {"kind": "LogfireNonTimeSeriesQuery", "spec": {"query": self.query}}
            query = {"kind": "NonTimeSeriesQuery", "spec": {"plugin": plugin}}
        return {
            "kind": "Panel",
            "spec": {
                "display": {"name": self.title, "description": self.description},
                "plugin": {"kind": self.kind, "spec": dict(self.options)},
                "queries": [query],
            },
        }


def over_time(*, stacked: bool) -> dict[str, Any]:
    """Options of a chart over time: bars on top of each other, or lines."""
    visual = {"stack": "all", "display": "bar"} if stacked else {"connectNulls": False}
    return {"legend": {"position": "bottom", "mode": "list"}, "yAxis": {"show": True, "min": 0}, "visual": visual}


def text_variable(name: str, title: str, description: str) -> dict[str, Any]:
    """A field for a pattern of SQL's LIKE. `%`, everything, is what it starts with."""
    display = {"name": title, "description": description}
    return {"kind": "TextVariable", "spec": {"name": name, "display": display, "value": "%"}}


SERVICE = text_variable("service", "Service", "Pattern for service_name, % for all.")
TOOL = text_variable("tool", "Tool", "Pattern for gen_ai.tool.name, % for all.")


def dashboard(
    name: str, title: str, description: str, variables: Sequence[Mapping[str, Any]], panels: Sequence[Panel]
) -> dict[str, Any]:
    """The document. Panels flow from left to right and wrap like words."""
    items, x, y, row = [], 0, 0, 0
    for panel in panels:
        if x + panel.width > WIDTH:
            x, y, row = 0, y + row, 0
        items.append(
            {
                "x": x,
                "y": y,
                "width": panel.width,
                "height": panel.height,
                "content": {"$ref": f"#/spec/panels/{panel.key}"},
            }
        )
        x, row = x + panel.width, max(row, panel.height)
    grid = {"kind": "Grid", "spec": {"display": {"title": title, "collapse": {"open": True}}, "items": items}}
    return {
        "kind": "Dashboard",
        "metadata": {"name": name},
        "spec": {
            "display": {"name": f"Counterfoil / {title}", "description": description},
            "panels": {panel.key: panel.spelled() for panel in panels},
            "layouts": [grid],
            "variables": list(variables),
            "duration": "24h",
            "refreshInterval": "0s",
            "datasources": {},
        },
    }
