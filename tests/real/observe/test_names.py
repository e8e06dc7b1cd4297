"""The contract's metrics have the same names and labels in Prometheus on every way that leads there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from opentelemetry.metrics import Meter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import format_trace_id, get_current_span

from tests.real.observe.meters import meters
from tests.real.prometheus import exemplars, query, until
from tools.observe import servers
from tools.observe.service import free_ports
from tools.observe.stack import PROJECT

pytestmark = pytest.mark.real

WAYS = ("otlp", "scrape", "remote_write")
CONTRACT: dict[str, dict[str, Any]] = yaml.safe_load((PROJECT / "telemetry.yaml").read_text())["metrics"]

SUFFIXES = {"counter": "_total", "gauge": "", "updowncounter": "", "histogram": "_bucket"}


def prometheus_name(metric: str) -> str:
    """A metric's name in Prometheus: dots become underscores, seconds are spelled out, a counter ends in `_total`."""
    said = CONTRACT[metric]
    unit = "_seconds" if said["unit"] == "s" else ""
    return metric.replace(".", "_") + unit + SUFFIXES[said["kind"]]


def say(meter: Meter, metric: str) -> None:
    """Record one value of a metric with all of its attributes."""
    said = CONTRACT[metric]
    labels = dict.fromkeys(said["attributes"], "some")
    match said["kind"]:
        case "counter":
            meter.create_counter(metric, said["unit"]).add(1, labels)
        case "updowncounter":
            meter.create_up_down_counter(metric, said["unit"]).add(1, labels)
        case "gauge":
            meter.create_gauge(metric, said["unit"]).set(1, labels)
        case "histogram":
            buckets = said["buckets"]
            instrument = meter.create_histogram(metric, said["unit"], explicit_bucket_boundaries_advisory=buckets)
            instrument.record(1, labels)


@pytest.fixture(scope="module")
def arrived(observability: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A Prometheus that has every metric of the contract on all ways, and the trace that they were recorded in."""
    folder = tmp_path_factory.mktemp("names")
    (port,) = free_ports(1)
    scraped = f"127.0.0.1:{port}"
    with servers.prometheus(folder, scrape={"collector": scraped}) as prometheus:
        address = prometheus.url("http")
        environment = {"COLLECTOR_METRICS_TO": address, "COLLECTOR_SCRAPED": scraped}
        config = Path(__file__).with_name("three_ways.yaml")
        with servers.collector("collector", folder, [config], environment) as collector:
            tracer = TracerProvider(shutdown_on_exit=False).get_tracer("test")
            with meters(collector.url("http"), "agent") as provider, tracer.start_as_current_span("verdict"):
                for metric in CONTRACT:
                    say(provider.get_meter("counterfoil"), metric)
                trace = format_trace_id(get_current_span().get_span_context().trace_id)
            last = prometheus_name(next(reversed(CONTRACT)))
            until(lambda: len(query(address, f"count by (job) ({last})")) == len(WAYS), f"{last} on all ways")
            yield address, trace


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("metric", CONTRACT)
def test_name_and_labels_are_the_same(arrived: tuple[str, str], metric: str, way: str) -> None:
    address, _ = arrived
    series = until(
        lambda: query(address, f'{prometheus_name(metric)}{{job="{way}"}}'), f"{prometheus_name(metric)} by {way}"
    )
    labels = set(series[0]["metric"])
    assert {name.replace(".", "_") for name in CONTRACT[metric]["attributes"]} <= labels
    assert "instance" in labels


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("metric", ["counterfoil.verdicts", "counterfoil.verdict.duration"])
def test_an_exemplar_comes_along(arrived: tuple[str, str], metric: str, way: str) -> None:
    address, trace = arrived
    found = until(
        lambda: exemplars(address, f'{prometheus_name(metric)}{{job="{way}"}}'), f"an exemplar of {metric} by {way}"
    )
    assert {each["labels"]["trace_id"] for each in found} == {trace}
