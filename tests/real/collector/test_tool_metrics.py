"""Tool calls are counted before sampling, once each, and an example of each outcome can be opened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.real.collector.conftest import gateway
from tests.real.otlp import ERROR, OK, attributes, send_spans, span
from tests.real.sink import Sink

pytestmark = pytest.mark.real

TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "create_ticket"}
TIMED_OUT = {**TOOL, "error.type": "TimeoutError"}

SPANS = [
    # One call over MCP is several spans; only the agent's own is a call.
    span("execute_tool create_ticket", 0x81, TOOL, status=OK),
    span("tools/call create_ticket", 0x81, {"mcp.method.name": "tools/call"}, number=2, parent=1),
    span("execute_tool create_ticket", 0x82, TOOL, status=OK),
    span("execute_tool create_ticket", 0x83, TIMED_OUT, status=ERROR),
    span("chat", 0x84, {"gen_ai.operation.name": "chat"}),
]


CALLS, DURATION = "traces.span.metrics.calls", "traces.span.metrics.duration"


@pytest.fixture(scope="module")
def came_out(otelcol: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sink]:
    """What has arrived when all calls are counted. A series is first shown at 0, so that `increase()` sees a call."""
    with gateway(tmp_path_factory.mktemp("gateway")) as (collector, backend):
        send_spans(collector.url("http"), SPANS)
        backend.wait(lambda: sum(each.as_int for each in latest(backend, CALLS)) == 3, "three counted calls")
        collector.stop()
        yield backend


def latest(backend: Sink, metric: str) -> list[Any]:
    """The data points of the last export of a sum."""
    exports = [each for each in backend.metrics() if each.name == metric]
    return list(exports[-1].sum.data_points) if exports else []


def outcome(point: Any) -> Any:
    return attributes(point).get("error.type")


def test_calls_of_dropped_traces_are_counted_too(came_out: Sink) -> None:
    assert {each.trace_id for each in came_out.spans()} == {SPANS[3].trace_id}
    counted = {outcome(each): each.as_int for each in latest(came_out, CALLS)}
    assert counted == {None: 2, "TimeoutError": 1}


def test_a_duration_has_an_example_to_open(came_out: Sink) -> None:
    durations = [
        point
        for metric in came_out.metrics()
        if metric.name == DURATION
        for point in metric.histogram.data_points
        if outcome(point) == "TimeoutError"
    ]
    assert {each.trace_id for point in durations for each in point.exemplars} == {SPANS[3].trace_id}
    assert durations[-1].sum == pytest.approx(1.0)


def test_labels_are_few(came_out: Sink) -> None:
    """A span's name may hold anything; the tool's name says the same."""
    for each in latest(came_out, CALLS):
        assert set(attributes(each)) <= {
            "service.name",
            "span.kind",
            "status.code",
            "collector.instance.id",
            "gen_ai.tool.name",
            "error.type",
        }
