"""Spans out of files, put back into the order in which they happened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from counterfoil.facts import Fact
from counterfoil.reading.spans import Reading
from counterfoil.reading.views import SpanSeen

Trace = dict[int, SpanSeen]
"""The spans of one trace by their id."""


@dataclass(slots=True)
class Traces:
    """Every span once, by trace, until all files are read: an exporter sends a child long before its parent.

    Memory grows with the spans, some 2 kB each, their events and attributes; not with the file.
    """

    by_id: dict[int, Trace] = field(default_factory=dict)

    def add(self, span: SpanSeen) -> None:
        """A span that was sent again is one span; seen open and seen ended, it ended. One that was open at a fork ends
        in both processes: the earlier end counts, whichever arrived first."""
        if span.context is None:
            return
        trace = self.by_id.setdefault(span.context.trace_id, {})
        known = trace.get(span.context.span_id)
        if known is None:
            trace[span.context.span_id] = span
        elif (known.end_time, known.attributes) != (span.end_time, span.attributes) or known.events != span.events:
            trace[span.context.span_id] = min(known, span, key=_seniority)


def _seniority(span: SpanSeen) -> tuple[bool, int, str]:
    said = sorted(map(repr, (span.attributes or {}).items()))
    told = (span.name, span.kind, span.start_time, span.parent, span.status.status_code, list(span.events), said)
    return span.end_time is None, span.end_time or 0, repr(told)


BROKE = "trace_not_read"
"""A reader broke over a trace, which then says nothing more, as it is counted."""


def read_traces(traces: Traces, reading: Reading, taken: Callable[[Fact], None]) -> Counter[str]:
    """Show the reader one trace after the other, the earliest first. What didn't end in a trace never ends.

    Returns what the reader could not take in, by cause.
    """
    for trace in sorted(traces.by_id.values(), key=_beginning):
        try:
            for moment in moments(trace):
                for fact in reading.ended(moment.span) if moment.ended else reading.started(moment.span):
                    taken(fact)
            for fact in reading.close():
                taken(fact)
        except Exception:  # it must not cost the audit of all others
            reading.spilled[BROKE] += 1
    return reading.spilled


def _beginning(trace: Trace) -> tuple[int, int]:
    return min((span.start_time or 0, span_id) for span_id, span in trace.items())


@dataclass(frozen=True, slots=True)
class Moment:
    """A span started or ended."""

    span: SpanSeen
    ended: bool


def moments(trace: Trace) -> Iterator[Moment]:
    """Starts and ends in order of time. Of equal times parents start first and end last, and starts come first."""
    depths = _depths(trace)
    order: list[tuple[int, bool, int, int]] = []
    for span_id, span in trace.items():
        start = span.start_time or 0
        order.append((start, False, depths[span_id], span_id))
        if span.end_time is not None:
            order.append((max(start, span.end_time), True, -depths[span_id], span_id))
    for _, ended, _, span_id in sorted(order):
        yield Moment(trace[span_id], ended)


def _depths(trace: Trace) -> dict[int, int]:
    """How far each span is from its root, as far as the trace is here. Parents in a circle count as roots."""
    depths: dict[int, int] = {}
    for start in sorted(trace):  # so that a circle is always broken at the same span
        path: list[int] = []
        on_path: set[int] = set()
        at: int | None = start
        while at is not None and at in trace and at not in depths and at not in on_path:
            path.append(at)
            on_path.add(at)
            parent = trace[at].parent
            at = parent.span_id if parent is not None else None
        depth = depths.get(at, -1) if at is not None else -1
        for span_id in reversed(path):
            depth += 1
            depths[span_id] = depth
    return depths
