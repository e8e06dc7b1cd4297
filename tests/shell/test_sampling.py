"""An agent sampled at almost nothing is still seen in full, and exports no more than before."""

import pytest
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, ParentBased, Sampler, TraceIdRatioBased

from counterfoil.sampling import RecordAll, record_all

ARGUMENTS = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.id": "call_1"}


class Seen(SpanProcessor):
    """Keeps the attributes of every span that a processor gets to see."""

    def __init__(self) -> None:
        self.ended: list[dict[str, object]] = []

    def on_end(self, span: ReadableSpan) -> None:
        self.ended.append(dict(span.attributes or {}))


def run(sampler: Sampler, traces: int = 20) -> tuple[list[dict[str, object]], int]:
    """What a processor saw and how many spans were exported, of traces with a parent and a child."""
    seen, exporter = Seen(), InMemorySpanExporter()
    provider = TracerProvider(sampler=sampler)
    provider.add_span_processor(seen)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("agent")
    for _ in range(traces):
        with tracer.start_as_current_span("invoke_agent"), tracer.start_as_current_span("tool", attributes=ARGUMENTS):
            pass
    return seen.ended, len(exporter.get_finished_spans())


def test_a_dropped_span_reaches_processors_with_what_it_was_started_with():
    seen, exported = run(record_all(ParentBased(ALWAYS_OFF)))

    assert [span for span in seen if span] == [ARGUMENTS] * 20
    assert len(seen) == 40
    assert exported == 0


@pytest.mark.parametrize(
    "sampler", [ALWAYS_ON, ALWAYS_OFF, ParentBased(TraceIdRatioBased(0))], ids=["on", "off", "none"]
)
def test_no_span_more_is_exported(sampler: Sampler):
    _, before = run(sampler)
    _, after = run(record_all(sampler))

    assert after == before


def test_an_inner_sampler_that_takes_some_takes_the_same_ones():
    half = TraceIdRatioBased(0.5)
    for trace_id in range(0, 2**64, 2**60):
        plain = half.should_sample(None, trace_id, "x").decision.is_sampled()
        assert RecordAll(half).should_sample(None, trace_id, "x").decision.is_sampled() == plain


def test_it_isnt_put_on_twice_and_says_what_is_inside():
    once = record_all(ALWAYS_OFF)

    assert record_all(once) is once
    assert once.get_description() == f"RecordAll{{{ALWAYS_OFF.get_description()}}}"
