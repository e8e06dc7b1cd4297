"""Files for Grafana's provisioning folder. What differs between installations is an environment variable in them."""

from __future__ import annotations

from typing import Any

FOLDER = "Counterfoil"
METRICS_UID = "${METRICS_UID}"


def dashboards() -> dict[str, Any]:
    """Where Grafana finds the dashboards."""
    return {
        "apiVersion": 1,
        "providers": [
            {
                "name": "counterfoil",
                "folder": FOLDER,
                "type": "file",
                "allowUiUpdates": False,
                "options": {"path": "${DASHBOARDS}"},
            }
        ],
    }


def data_sources() -> dict[str, Any]:
    """An example of the two data sources, with what the dashboards use of them."""
    return {
        "apiVersion": 1,
        "datasources": [
            {
                "name": "Counterfoil metrics",
                "uid": "counterfoil-prometheus",
                "type": "prometheus",
                "access": "proxy",
                "url": "${PROMETHEUS_URL}",
                "jsonData": {
                    "httpMethod": "POST",
                    "timeInterval": "60s",
                    "exemplarTraceIdDestinations": [
                        {
                            "name": "trace_id",
                            "datasourceUid": "counterfoil-tempo",
                            "urlDisplayLabel": "Trace of this verdict",
                        },
                    ],
                },
            },
            {
                "name": "Counterfoil traces",
                "uid": "counterfoil-tempo",
                "type": "tempo",
                "access": "proxy",
                "url": "${TEMPO_URL}",
                "jsonData": {
                    "tracesToMetrics": {
                        "datasourceUid": "counterfoil-prometheus",
                        "spanStartTimeShift": "-1h",
                        "spanEndTimeShift": "1h",
                        "tags": [{"key": "gen_ai.tool.name", "value": "gen_ai_tool_name"}],
                        "queries": [
                            {
                                "name": "Verdicts of this tool",
                                # Grafana takes one `$` for a variable of the environment.
                                "query": (
                                    "sum by (counterfoil_verdict) (increase(counterfoil_verdicts_total{$$__tags}[1h]))"
                                ),
                            }
                        ],
                    },
                },
            },
        ],
    }
