"""What is said of a message list before it is replayed: a span, an event, and an event for each kind of repair.

The names are other ones than an operation's, so that nobody who counts verdicts on operations counts lists with them.
Calls are named by hashes of their ids; nothing of what the list says is said again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from time import time_ns

from opentelemetry._logs import Logger, SeverityNumber
from opentelemetry.context import Context
from opentelemetry.trace import SpanContext, SpanKind

from counterfoil import names
from counterfoil.histories.report import Decision, HistoryAudit, Repair
from counterfoil.telling.spans import Private
from counterfoil.telling.words import LEVEL, Value, clean
from counterfoil.verdicts import Severity

MAX_CALLS = 16
"""So many calls are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryTelling:
    """One audit. ``began``: nanoseconds since 1970. ``decision``: what was done about a run that resumes from the list;
    None where nobody was about to. ``repairs``: what the framework does to it before it goes on."""

    audit: HistoryAudit
    began: int
    conversation_id: str | None = None
    agent: str | None = None
    decision: Decision | None = None
    repairs: tuple[Repair, ...] = ()

    @property
    def severity(self) -> Severity:
        """A list that isn't ready waits for somebody in working hours; what it leads to is judged by itself."""
        return Severity.NONE if self.audit.ready else Severity.TICKET


def history_attributes(telling: HistoryTelling) -> dict[str, Value]:
    """All that is said of one audit. What isn't known is left out."""
    audit = telling.audit
    failures = (failed for gate in audit.judgement.failures.values() for failed in gate)
    return _known(
        {
            names.HISTORY_VERDICT: audit.verdict.value,
            names.HISTORY_FINDINGS: tuple(finding.value for finding in audit.findings),
            names.HISTORY_STATE: audit.state.value if audit.state is not None else None,
            names.HISTORY_DECISION: telling.decision.value if telling.decision is not None else None,
            names.HISTORY_CALLS: _capped(failed for failed in failures if failed.startswith("call:")),
            names.HISTORY_MESSAGES: audit.messages,
            names.HISTORY_RECEIPTS: audit.receipts,
            names.SEVERITY: telling.severity.value,
            names.NEXT_ACTION: audit.way_out,
            names.EXPLANATION: audit.explanation,
            names.AGENT_NAME: telling.agent,
            names.CONVERSATION_ID: telling.conversation_id,
            names.LOGFIRE_MSG: f"{audit.verdict.value}: {audit.explanation}",
            names.LOGFIRE_LEVEL: LEVEL[telling.severity],
        }
    )


def say_history(provider: Private, telling: HistoryTelling, below: Context) -> SpanContext:
    """Make the verdict span and end it. Answers where it is, for the metric's exemplar and the events."""
    span = provider.tracer.start_span(
        names.HISTORY_SPAN,
        context=below,
        kind=SpanKind.INTERNAL,
        attributes=history_attributes(telling),
        start_time=telling.began,
    )
    span.end(end_time=max(telling.began, time_ns()))
    return span.get_span_context()


def say_verdict(logger: Logger, telling: HistoryTelling, where: Context) -> None:
    """Emit the verdict as an event, in the trace context of its span."""
    attributes = history_attributes(telling)
    logger.emit(
        timestamp=time_ns(),
        context=where,
        severity_number=SeverityNumber(LEVEL[telling.severity]),
        body=attributes[names.EXPLANATION],
        attributes=attributes,
        event_name=names.HISTORY_EVENT,
    )


def say_repairs(logger: Logger, telling: HistoryTelling, where: Context) -> None:
    """Emit one event for each kind of repair."""
    for repair in telling.repairs:
        said = {
            names.HISTORY_REPAIR: repair.kind.value,
            names.HISTORY_REPAIRED: repair.number,
            names.HISTORY_CALLS: _capped(repair.calls),
            names.AGENT_NAME: telling.agent,
            names.CONVERSATION_ID: telling.conversation_id,
        }
        logger.emit(
            timestamp=time_ns(),
            context=where,
            severity_number=SeverityNumber.INFO,
            attributes=_known(said),
            event_name=names.REPAIR_EVENT,
        )


def _capped(calls: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(calls))[:MAX_CALLS])


def _known(values: dict[str, Value | None]) -> dict[str, Value]:
    return {name: clean(value) for name, value in values.items() if value is not None}
