"""Tells what an audit of a message list found: through the pipeline of the span that is open, else the process's."""

from __future__ import annotations

from opentelemetry import context, trace
from opentelemetry.trace import Tracer

from counterfoil.processor.near import teller_near
from counterfoil.telling.histories import HistoryTelling
from counterfoil.telling.meters import meters_of
from counterfoil.telling.teller import Troubles


def tell_audit(telling: HistoryTelling, tracer: Tracer | None = None) -> None:
    """A verdict span, an event and a metric, as the settings say. ``tracer``: of the pipeline, if it is known. Never
    raises; what breaks is counted."""
    try:
        teller_near(trace.get_current_span(), tracer).tell_history(telling, context.get_current())
    except Exception as error:
        count(error, tracer)


def count(error: BaseException, tracer: Tracer | None = None) -> None:
    """An audit failed that nobody may be harmed by: counted as an error of ours, and logged without what it was about.
    Never raises."""
    try:
        teller_near(trace.get_current_span(), tracer).had("history", error)
    except Exception:
        Troubles(meters_of(None)).had("history", error)
