"""Grafana's files, by their path below `dashboards/grafana`."""

from __future__ import annotations

from dashboards.src.grafana import provisioning
from dashboards.src.grafana.alerting import alerting
from dashboards.src.grafana.frame import content
from dashboards.src.grafana.health import health
from dashboards.src.grafana.operations import operations
from dashboards.src.grafana.overview import overview
from dashboards.src.text import as_json, as_yaml


def files() -> dict[str, str]:
    """Text of every generated file."""
    boards = [content(made) for made in (overview(), operations(), health())]
    numbers = {(board["uid"], panel["title"]): panel["id"] for board in boards for panel in board["panels"]}
    return {
        **{f"{board['uid']}.json": as_json(board) for board in boards},
        "provisioning/dashboards/counterfoil.yaml": as_yaml(
            provisioning.dashboards(), "DASHBOARDS: the folder that holds the three JSON files."
        ),
        "provisioning/datasources/counterfoil.yaml": as_yaml(
            provisioning.data_sources(),
            "An example. PROMETHEUS_URL and TEMPO_URL: where the two listen.",
        ),
        "provisioning/alerting/counterfoil.yaml": as_yaml(
            alerting(numbers),
            "Only where no Prometheus, Mimir or VictoriaMetrics evaluates counterfoil.rules.yml.",
            "METRICS_UID: the UID of the Prometheus data source.",
        ),
    }
