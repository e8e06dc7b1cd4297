"""The collector, Prometheus and Alertmanager as this project runs them, on free ports of the loopback interface."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from tools.collector.build import PROGRAM
from tools.observe.build import obtain
from tools.observe.service import Command, Service, start


def collector(
    name: str, folder: Path, configs: Sequence[Path], environment: Mapping[str, str] | None = None
) -> Service:
    """Start a collector on configuration files that later ones amend. Ports: grpc, http, health, metrics.

    The files take their addresses from the variables that `collector-config/README.md` lists; `environment` adds to
    them. The collector sees no other variable of this process but PATH.
    """
    program = obtain("collector")[PROGRAM]

    def command(ports: Mapping[str, int]) -> Command:
        variables = {
            "PATH": os.environ.get("PATH", ""),
            "COLLECTOR_OTLP_GRPC": f"127.0.0.1:{ports['grpc']}",
            "COLLECTOR_OTLP_HTTP": f"127.0.0.1:{ports['http']}",
            "COLLECTOR_HEALTH": f"127.0.0.1:{ports['health']}",
            "COLLECTOR_METRICS_PORT": str(ports["metrics"]),
            "COLLECTOR_STORAGE": str(folder / f"{name}-queue"),
            **(environment or {}),
        }
        files = [word for config in configs for word in ("--config", str(config))]
        return Command([program, *files], f"http://127.0.0.1:{ports['health']}/", variables)

    return start(name, folder, ("grpc", "http", "health", "metrics"), command)


def prometheus(
    folder: Path,
    *,
    rules: Sequence[Path] = (),
    alertmanager: Service | None = None,
    scrape: Mapping[str, str] | None = None,
    evaluation_interval: str = "1s",
) -> Service:
    """Start Prometheus 3 with its receivers for OTLP and remote write and its exemplar store. Port: http.

    OTLP goes to `/api/v1/otlp`, remote write to `/api/v1/write`; `scrape` maps the name of a job to the `host:port`
    that it is scraped from, whose own `job` and `instance` win. What a sender retries may be ten minutes old.
    `evaluation_interval` is for rule groups that state none.
    """
    program = obtain("prometheus")["prometheus"]
    settings = {
        "global": {"scrape_interval": evaluation_interval, "evaluation_interval": evaluation_interval},
        "rule_files": [str(path.resolve()) for path in rules],
        "scrape_configs": [
            {"job_name": job, "honor_labels": True, "static_configs": [{"targets": [target]}]}
            for job, target in (scrape or {}).items()
        ],
        "storage": {
            "tsdb": {"out_of_order_time_window": "10m"},
            "exemplars": {"max_exemplars": 100_000},
        },
    }
    if alertmanager is not None:
        target = f"127.0.0.1:{alertmanager.ports['http']}"
        settings["alerting"] = {"alertmanagers": [{"static_configs": [{"targets": [target]}]}]}
    config = _written(settings, folder / "prometheus.yml")

    def command(ports: Mapping[str, int]) -> Command:
        address = f"127.0.0.1:{ports['http']}"
        words: list[str | Path] = [
            program,
            f"--config.file={config}",
            f"--storage.tsdb.path={folder / 'prometheus-data'}",
            f"--web.listen-address={address}",
            "--web.enable-otlp-receiver",
            "--web.enable-remote-write-receiver",
            "--enable-feature=exemplar-storage",
        ]
        return Command(words, f"http://{address}/-/ready")

    return start("prometheus", folder, ("http",), command)


def alertmanager(folder: Path, *, webhook: str | None = None) -> Service:
    """Start one Alertmanager that sends every alert, and its end, to a webhook at once; None: to nobody. Port: http."""
    program = obtain("alertmanager")["alertmanager"]
    receiver: dict[str, object] = {"name": "webhook"}
    if webhook is not None:
        receiver["webhook_configs"] = [{"url": webhook, "send_resolved": True}]
    settings = {
        "route": {
            "receiver": "webhook",
            "group_by": ["..."],
            "group_wait": "0s",
            "group_interval": "1s",
            "repeat_interval": "4h",
        },
        "receivers": [receiver],
    }
    config = _written(settings, folder / "alertmanager.yml")

    def command(ports: Mapping[str, int]) -> Command:
        address = f"127.0.0.1:{ports['http']}"
        words: list[str | Path] = [
            program,
            f"--config.file={config}",
            f"--storage.path={folder / 'alertmanager-data'}",
            f"--web.listen-address={address}",
            "--cluster.listen-address=",
        ]
        return Command(words, f"http://{address}/-/ready")

    return start("alertmanager", folder, ("http",), command)


def _written(settings: Mapping[str, object], config: Path) -> Path:
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(yaml.safe_dump(settings, sort_keys=False))
    return config
