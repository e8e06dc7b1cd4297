"""Of the traces that pass the gateway, those that bear on a verdict stay and the ordinary ones go."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real.collector.conftest import Through, gateway
from tests.real.otlp import ERROR, OK, send_spans, span

pytestmark = pytest.mark.real

TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "create_ticket"}
SPOKEN = {**TOOL, "gen_ai.tool.call.arguments": "{}"}

KEPT = {
    "a verdict in the trace of its attempt": [
        span("execute_tool create_ticket", 0x11, TOOL, status=OK),
        span("verdict create_ticket", 0x11, {"counterfoil.verdict": "healthy"}, number=2, parent=1),
    ],
    "a verdict on a history, in the trace of the run that resumes": [
        span("invoke_agent shop", 0x19),
        span("history verdict", 0x19, {"counterfoil.history.verdict": "ready"}, number=2, parent=1),
    ],
    "a verdict in a trace of its own": [
        span("verdict create_ticket", 0x12, {"counterfoil.verdict": "duplicate_effect"}),
    ],
    "a webhook that saw the effect": [
        span("POST /webhooks", 0x13, {"counterfoil.effect.ref": "T-1", "counterfoil.operation.id": "op-1"}),
    ],
    "a probe that counted none": [
        span("probe create_ticket", 0x14, {"counterfoil.effect.count": 0, "counterfoil.operation.id": "op-1"}),
    ],
    "a tool that failed": [
        span("execute_tool create_ticket", 0x15, TOOL, status=ERROR, message="read timed out"),
    ],
    "a tool that swallowed the error of its request": [
        span("execute_tool create_ticket", 0x16, TOOL, status=OK),
        span("POST", 0x16, {"http.response.status_code": 503}, number=2, parent=1),
    ],
    "a tool call over MCP that timed out": [
        span("tools/call create_ticket", 0x17, {"mcp.method.name": "tools/call", "error.type": "timeout"}),
    ],
    "a cancelled tool, whose result is missing": [
        span("execute_tool create_ticket", 0x18, SPOKEN),
    ],
}

DROPPED = {
    "a tool that returned": [
        span("execute_tool create_ticket", 0x21, {**SPOKEN, "gen_ai.tool.call.result": "ok"}, status=OK),
    ],
    "a tool whose emitter records no content": [
        span("execute_tool create_ticket", 0x22, TOOL, status=OK),
    ],
    "an error of something that is no tool": [
        span("GET /health", 0x23, {"error.type": "503"}, status=ERROR),
    ],
}


@pytest.fixture(scope="module")
def came_out(through_gateway: Through) -> set[tuple[bytes, bytes]]:
    """The spans, by trace and span id, that a gateway let through when it was sent everything above at once."""
    sent = [each for trace in (*KEPT.values(), *DROPPED.values()) for each in trace]
    spans = through_gateway(sent).spans()
    ids = [(each.trace_id, each.span_id) for each in spans]
    assert len(ids) == len(set(ids)), "a span came out twice"
    return set(ids)


@pytest.mark.parametrize("story", KEPT)
def test_the_whole_trace_stays(story: str, came_out: set[tuple[bytes, bytes]]) -> None:
    assert came_out >= {(each.trace_id, each.span_id) for each in KEPT[story]}


@pytest.mark.parametrize("story", DROPPED)
def test_the_whole_trace_goes(story: str, came_out: set[tuple[bytes, bytes]]) -> None:
    assert came_out.isdisjoint({(each.trace_id, each.span_id) for each in DROPPED[story]})


def test_a_verdict_arrives_after_its_trace_was_dropped(otelcol: Path, tmp_path: Path) -> None:
    """Operations settle minutes after the sampler has decided, and it would apply its decision to the verdict too."""
    attempt = span("execute_tool create_ticket", 0x31, TOOL, status=OK)
    witness = span("execute_tool create_ticket", 0x32, TOOL, status=ERROR)
    verdict = span("verdict create_ticket", 0x31, {"counterfoil.verdict": "false_success"}, number=2, parent=1)
    with gateway(tmp_path) as (collector, backend):
        send_spans(collector.url("http"), [attempt, witness])
        backend.wait(lambda: witness.trace_id in {each.trace_id for each in backend.spans()}, "the witness")
        send_spans(collector.url("http"), [verdict])
        collector.stop()
        late = [each.name for each in backend.spans() if each.trace_id == verdict.trace_id]
    assert late == ["verdict create_ticket"]
