"""The log event `counterfoil.verdict`: the same words as the span, for those who alert on logs."""

from __future__ import annotations

from time import time_ns

from opentelemetry._logs import Logger, SeverityNumber
from opentelemetry.context import Context

from counterfoil import names
from counterfoil.book.telling import Telling
from counterfoil.telling.words import LEVEL, verdict_attributes


def say_event(logger: Logger, telling: Telling, where: Context) -> None:
    """Emit the event in the trace context of the verdict span."""
    attributes = verdict_attributes(telling)
    logger.emit(
        timestamp=time_ns(),
        context=where,
        severity_number=SeverityNumber(LEVEL[telling.said.severity]),
        body=attributes[names.EXPLANATION],
        attributes=attributes,
        event_name=names.VERDICT_EVENT,
    )
