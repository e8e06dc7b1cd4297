"""Collector, Prometheus and Alertmanager wired together on one machine, in a folder of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.observe import servers
from tools.observe.service import Service

PROJECT = Path(__file__).resolve().parents[2]
GATEWAY = PROJECT / "collector-config" / "gateway.yaml"
LOCAL = Path(__file__).with_name("local.yaml")


def project_rules() -> list[Path]:
    """The project's own recording and alert rules, those that exist."""
    return sorted((PROJECT / "dashboards" / "prometheus").glob("*.rules.yml"))


@dataclass(frozen=True, slots=True)
class Stack:
    """The three servers, running."""

    collector: Service
    prometheus: Service
    alertmanager: Service
    folder: Path

    @property
    def otlp(self) -> str:
        """What an application takes as OTEL_EXPORTER_OTLP_ENDPOINT, with OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf."""
        return self.collector.url("http")

    @property
    def traces(self) -> Path:
        """Where spans end up: OTLP JSON, one batch a line."""
        return self.folder / "traces.jsonl"

    @property
    def logs(self) -> Path:
        """Where log records end up: OTLP JSON, one batch a line."""
        return self.folder / "logs.jsonl"


@contextmanager
def running(
    folder: Path,
    *,
    rules: Sequence[Path] = (),
    webhook: str | None = None,
    evaluation_interval: str = "1s",
    decision_wait: str = "1s",
) -> Iterator[Stack]:
    """Start the three with the committed gateway configuration, and stop them in the order in which data flows.

    Metrics go through the collector to Prometheus' OTLP receiver; `rules` are evaluated there, and what fires goes
    through Alertmanager to `webhook`. Spans wait `decision_wait` in the sampler.
    """
    folder = folder.resolve()
    with ExitStack() as stack:
        alerts = stack.enter_context(servers.alertmanager(folder, webhook=webhook))
        metrics = stack.enter_context(
            servers.prometheus(folder, rules=rules, alertmanager=alerts, evaluation_interval=evaluation_interval)
        )
        gateway = stack.enter_context(
            servers.collector(
                "collector",
                folder,
                [GATEWAY, LOCAL],
                {
                    "COLLECTOR_METRICS_TO": metrics.url("http", "/api/v1/otlp"),
                    "COLLECTOR_DECISION_WAIT": decision_wait,
                    "COLLECTOR_FLUSH_INTERVAL": "1s",
                    "COLLECTOR_FILES": str(folder),
                },
            )
        )
        yield Stack(gateway, metrics, alerts, folder)
