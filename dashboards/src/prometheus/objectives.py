"""The same objective in the words of Sloth and Pyrra, which make their own burn-rate rules from it."""

from __future__ import annotations

from typing import Any

from dashboards.src.policy import OBJECTIVE
from dashboards.src.words import BAD, DECIDED

NAME = "counterfoil-operations"
_SAYS = "Share of decided operations that end without a bad verdict."


def sloth() -> dict[str, Any]:
    """A `prometheus/v1` specification."""
    return {
        "version": "prometheus/v1",
        "service": "counterfoil",
        "slos": [
            {
                "name": "operations",
                "objective": OBJECTIVE * 100,
                "description": _SAYS,
                "sli": {
                    "events": {
                        "error_query": f"sum(rate(counterfoil_verdicts_total{{{BAD}}}[{{{{.window}}}}]))",
                        "total_query": f"sum(rate(counterfoil_verdicts_total{{{DECIDED}}}[{{{{.window}}}}]))",
                    }
                },
                "alerting": {
                    "name": "CounterfoilOperations",
                    "annotations": {"runbook_url": "runbooks/CounterfoilBudgetBurn.md"},
                    "page_alert": {"labels": {"severity": "page"}},
                    "ticket_alert": {"labels": {"severity": "ticket"}},
                },
            }
        ],
    }


def pyrra() -> dict[str, Any]:
    """A `ServiceLevelObjective`, grouped by job."""
    return {
        "apiVersion": "pyrra.dev/v1alpha1",
        "kind": "ServiceLevelObjective",
        "metadata": {"name": NAME},
        "spec": {
            "target": f"{OBJECTIVE * 100:g}",
            "window": "30d",
            "description": _SAYS,
            "indicator": {
                "ratio": {
                    "errors": {"metric": f"counterfoil_verdicts_total{{{BAD}}}"},
                    "total": {"metric": f"counterfoil_verdicts_total{{{DECIDED}}}"},
                    "grouping": ["job"],
                }
            },
        },
    }
