"""A consultation as a log event: who was asked, by which way, and how it ended. What was asked is said nowhere."""

from __future__ import annotations

from opentelemetry._logs import Logger, SeverityNumber
from opentelemetry.context import Context
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

from counterfoil import names
from counterfoil.reading.consults import Consult, Result
from counterfoil.telling.words import clean

_SENTENCES = {
    Result.ANSWERED: "An advisor was asked and answered.",
    Result.EXHAUSTED: "An advisor was to be asked more often than max_uses allows; nobody was.",
    Result.INVALID: "An advisor was asked, and its answer could not be used.",
    Result.FAILED: "An advisor was to be asked, and that failed.",
    Result.REPLAYED: "An advisor was asked the same again, by a replay: a repeated cost, and no repeated effect.",
    Result.UNKNOWN: "An advisor was to be asked; its spans don't show how that ended.",
}
_MODES = ("local", "native")


def words_of(one: Consult) -> tuple[str, str]:
    """How it was made and how it ended, in no other words than the contract's: anybody may write on a span."""
    mode = one.mode if one.mode in _MODES else _MODES[0]
    return mode, one.result if one.result in _SENTENCES else Result.UNKNOWN.value


def context_of(one: Consult) -> Context:
    """The context of the span that shows it."""
    flags = TraceFlags(TraceFlags.SAMPLED)
    there = SpanContext(one.ids.trace_id, one.ids.span_id, is_remote=True, trace_flags=flags)
    return set_span_in_context(NonRecordingSpan(there), Context())


def say_consult(logger: Logger, one: Consult, where: Context) -> None:
    """Emit the event. What isn't known is left out."""
    mode, result = words_of(one)
    values = {
        names.CONSULT_MODE: mode,
        names.CONSULT_RESULT: result,
        names.CONSULT_PROVIDER: one.provider,
        names.CONSULT_MODEL: one.model,
        names.CONSULT_HISTORY: one.history_forwarded,
        names.EXPLANATION: _SENTENCES[Result(result)],
        names.AGENT_NAME: one.agent,
        names.CONVERSATION_ID: one.conversation_id,
    }
    logger.emit(
        timestamp=one.at,
        context=where,
        severity_number=SeverityNumber.INFO,
        body=values[names.EXPLANATION],
        attributes={name: clean(value) for name, value in values.items() if value is not None},
        event_name=names.CONSULT_EVENT,
    )
