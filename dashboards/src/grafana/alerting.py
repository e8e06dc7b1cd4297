"""The alert rules as Grafana manages them, for people who have no ruler beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dashboards.src.grafana.provisioning import FOLDER, METRICS_UID
from dashboards.src.prometheus.files import ALERTS, GROUPS
from dashboards.src.prometheus.rule import Alert, Recording
from dashboards.src.promql import indented

PANELS: Mapping[str, tuple[str, str]] = {
    "CounterfoilIncidentOpen": ("counterfoil-overview", "Open incidents"),
    "CounterfoilSevereVerdictSeen": ("counterfoil-overview", "Verdicts"),
    "CounterfoilUnsafeRetrySeen": ("counterfoil-operations", "Findings"),
    "CounterfoilBudgetBurnFast": ("counterfoil-overview", "Verdicts by tool"),
    "CounterfoilBudgetBurn": ("counterfoil-overview", "Verdicts by tool"),
    "CounterfoilBudgetBurnSlow": ("counterfoil-overview", "Verdicts by tool"),
    "CounterfoilBudgetLeak": ("counterfoil-overview", "Verdicts by tool"),
    "CounterfoilDoubtInQuietService": ("counterfoil-operations", "Why operations are in doubt"),
    "CounterfoilTelemetryMissing": ("counterfoil-health", "Time since the judge last ran"),
    "CounterfoilTelemetryNeverSeen": ("counterfoil-health", "Time since the judge last ran"),
    "CounterfoilJudgeLate": ("counterfoil-health", "Judge's lag, by process"),
    "CounterfoilVerificationStuck": ("counterfoil-operations", "Oldest in doubt"),
    "CounterfoilFactsDropped": ("counterfoil-health", "Facts dropped and operations forgotten"),
    "CounterfoilErrors": ("counterfoil-health", "Errors inside Counterfoil"),
}
"""The panel that shows what each alert is about. The watchdog is about none."""

PanelNumbers = Mapping[tuple[str, str], int]


def inlined(expr: str) -> str:
    """An expression with every recorded series replaced by what it is recorded from: Grafana records nothing here."""
    recorded = {rule.record: rule.expr for group in GROUPS for rule in group.rules if isinstance(rule, Recording)}
    names = "|".join(sorted(map(re.escape, recorded), key=len, reverse=True))
    return re.sub(names, lambda found: f"(\n{indented(recorded[found[0]])}\n)", expr)


def identifier(name: str) -> str:
    """A rule's UID: at most 40 characters, the same on every installation."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


def _template(text: str) -> str:
    return text.replace("$value", "$values.A.Value")


def managed(alert: Alert, panels: PanelNumbers) -> dict[str, Any]:
    """One rule: the query, and that it answered with more than 0. No answer is fine; silence has a rule of its own."""
    query = {
        "refId": "A",
        "relativeTimeRange": {"from": 600, "to": 0},
        "datasourceUid": METRICS_UID,
        "model": {"refId": "A", "editorMode": "code", "expr": inlined(alert.expr), "instant": True, "range": False},
    }
    threshold = {
        "refId": "C",
        "datasourceUid": "__expr__",
        "model": {
            "refId": "C",
            "type": "threshold",
            "expression": "A",
            "conditions": [{"evaluator": {"type": "gt", "params": [0]}}],
        },
    }
    annotations = {
        "summary": _template(alert.summary),
        "description": _template(alert.description),
        "runbook_url": alert.runbook,
    }
    if alert.name in PANELS:
        dashboard, title = PANELS[alert.name]
        annotations |= {"__dashboardUid__": dashboard, "__panelId__": str(panels[dashboard, title])}
    return {
        "uid": identifier(alert.name),
        "title": alert.name,
        "condition": "C",
        "data": [query, threshold],
        "noDataState": "OK",
        "execErrState": "Error",
        "for": alert.wait or "0s",
        **({"keepFiringFor": alert.keep} if alert.keep else {}),
        "labels": {"severity": alert.severity, **alert.labels},
        "annotations": annotations,
    }


def alerting(panels: PanelNumbers) -> dict[str, Any]:
    """All rules in one group."""
    return {
        "apiVersion": 1,
        "groups": [
            {
                "orgId": 1,
                "name": "counterfoil",
                "folder": FOLDER,
                "interval": "1m",
                "rules": [managed(alert, panels) for alert in ALERTS],
            }
        ],
    }
