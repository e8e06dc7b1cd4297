"""Through whom is told what somebody found out who is no processor: an audit of a message list, for one."""

from __future__ import annotations

from typing import Any

from opentelemetry import trace
from opentelemetry._logs import get_logger_provider

from counterfoil import names
from counterfoil.processor.line import Line
from counterfoil.processor.processor import CounterfoilProcessor
from counterfoil.stated import settings
from counterfoil.telling.meters import meters_of
from counterfoil.telling.spans import Onward, Private, version
from counterfoil.telling.teller import Teller, Troubles


def teller_near(*shown: Any) -> Teller:
    """The teller of the pipeline that the first of these spans or tracers shows; of the process's pipeline where none
    does, as a span that isn't recorded doesn't.

    Where no processor of ours stands in that line, spans go to the processors that do, metrics and events to the
    process's providers, and the environment's settings hold. Without a pipeline nothing is said as a span.
    """
    line = Line(CounterfoilProcessor)
    for each in shown:
        line.learn(each)
    if not line.is_known:
        provider = trace.get_tracer_provider()
        line.serve(getattr(provider, "provider", provider))  # Logfire's proxy stands in front of the SDK's
    ours = line.ours
    if isinstance(ours, CounterfoilProcessor):
        for each in shown:
            ours.line.learn(each)
        return ours.teller
    meters = meters_of(None)
    troubles = Troubles(meters)
    private = Private(line.resource, Onward(line.beside, troubles.beside)) if line.is_known else None
    logger = get_logger_provider().get_logger(names.SCOPE, version())
    return Teller(settings(), private, meters, logger, troubles)
