"""Log events: the verdict in the same words as the span, for those who alert on logs; and facts, for a fleet."""

from __future__ import annotations

from time import time_ns

from opentelemetry._logs import Logger, SeverityNumber
from opentelemetry.context import Context

from counterfoil import names
from counterfoil.book.telling import Telling
from counterfoil.facts import Fact, Gap
from counterfoil.records import KINDS, VERSION, canonical, fact_id
from counterfoil.telling.words import LEVEL, Words, clean

_KIND_OF = {cls: kind for kind, cls in KINDS.items()}


def say_event(logger: Logger, telling: Telling, words: Words, where: Context) -> None:
    """Emit the event in the trace context of the verdict span."""
    logger.emit(
        timestamp=time_ns(),
        context=where,
        severity_number=SeverityNumber(LEVEL[telling.said.severity]),
        body=words[names.EXPLANATION],
        attributes=words,
        event_name=names.VERDICT_EVENT,
    )


def fact_attributes(fact: Fact | Gap) -> dict[str, str | int]:
    """A fact on the wire: one line of evidence, under its id and, where it is about one, its operation's."""
    attributes: dict[str, str | int] = {
        names.FACT_ID: fact_id(fact),
        names.FACT_KIND: _KIND_OF[type(fact)],
        names.FACT_RECORD: canonical(fact),
        names.FACT_VERSION: VERSION,
    }
    if isinstance(fact, Fact):
        attributes[names.OPERATION_ID] = str(clean(fact.operation_id))
    return attributes


def say_fact(logger: Logger, fact: Fact | Gap) -> None:
    """Emit one fact. Under its id it is the same fact wherever it arrives, however often."""
    logger.emit(
        timestamp=max(0, int(fact.observed_at)),
        observed_timestamp=time_ns(),
        severity_number=SeverityNumber.INFO,
        attributes=fact_attributes(fact),
        event_name=names.FACT_EVENT,
    )
