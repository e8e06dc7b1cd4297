"""See every span of an agent whose telemetry is sampled: record them all, export as few as before.

A span that a sampler drops never reaches a processor, so a head sampler at 1 % hides 99 % of the operations, and an
attempt that isn't seen can't be judged. `RecordAll` turns "drop" into "record only": processors see the span, exporters
don't. It keeps the attributes that the span was started with; the SDK's own `AlwaysRecordSampler` (1.45) hands on what
the inner sampler kept, which is nothing for a dropped span, and with it go tool name, call id and arguments.

It costs what recording a span costs, for every span that would have been dropped (docs/performance.md).
"""

from __future__ import annotations

from collections.abc import Sequence

from opentelemetry.context import Context
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import Link, SpanKind, TraceState
from opentelemetry.util.types import Attributes


class RecordAll(Sampler):
    """Samples exactly as ``inner`` does, and records what that one drops."""

    def __init__(self, inner: Sampler) -> None:
        self._inner = inner

    def should_sample(  # noqa: PLR0917 -- the interface is the SDK's
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        result = self._inner.should_sample(parent_context, trace_id, name, kind, attributes, links, trace_state)
        if result.decision is not Decision.DROP:
            return result
        return SamplingResult(Decision.RECORD_ONLY, attributes, result.trace_state)

    def get_description(self) -> str:
        return f"RecordAll{{{self._inner.get_description()}}}"


def record_all(sampler: Sampler) -> Sampler:
    """The sampler, made to record all; itself, if it does already."""
    return sampler if isinstance(sampler, RecordAll) else RecordAll(sampler)
