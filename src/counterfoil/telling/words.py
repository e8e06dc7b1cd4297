"""A telling as attributes: what a verdict span and a verdict event say.

Values that come from outside (names of tools, references, ids) are made fit to travel: one lone surrogate in a span's
name costs the exporter a whole batch of everybody's spans.
"""

from __future__ import annotations

from collections.abc import Mapping

from counterfoil import names
from counterfoil.book.telling import Telling
from counterfoil.dispatch import first
from counterfoil.explain import explain
from counterfoil.verdicts import Severity

MAX_TEXT = 1_024
"""The longest text that is said, in characters."""

MAX_REFS = 16
"""So many references are named."""

LEVEL: Mapping[Severity, int] = {Severity.PAGE: 17, Severity.TICKET: 13, Severity.NONE: 9}
"""OpenTelemetry's severity numbers (ERROR, WARN, INFO), which are Logfire's levels too."""

Value = str | int | bool | tuple[str, ...]
Words = Mapping[str, Value]


def verdict_attributes(telling: Telling) -> dict[str, Value]:
    """All that is said of one revision. What isn't known is left out."""
    judgement, operation = telling.judgement, telling.judgement.operation
    sentence = explain(judgement)
    values: dict[str, Value | None] = {
        names.OPERATION_ID: operation.operation_id,
        names.VERDICT: judgement.verdict.value,
        names.OUTCOME: judgement.outcome.value,
        names.FINDINGS: tuple(finding.value for finding in judgement.findings),
        names.REASON: judgement.reason.value if judgement.reason is not None else None,
        names.SEVERITY: telling.said.severity.value,
        names.NEXT_ACTION: judgement.next_action,
        names.REVISION: telling.revision,
        names.SETTLED: telling.settled,
        names.RESOLVED: telling.said.resolved,
        names.IDENTITY_SOURCE: telling.identity_source,
        names.ATTEMPT_COUNT: len(operation.dispatches),
        names.EFFECT_COUNT: judgement.effect_count,
        names.EFFECT_REFS: judgement.effect_refs[:MAX_REFS],
        names.REQUEST_HASH: first([intent.payload_hash for intent in operation.intents]),
        names.EXPLANATION: sentence,
        names.TWIN_OF: telling.twin_of,
        names.TOOL_NAME: operation.tool,
        names.AGENT_NAME: first([intent.agent for intent in operation.intents]),
        names.CONVERSATION_ID: first([intent.conversation_id for intent in operation.intents]),
        names.LOGFIRE_MSG: f"{judgement.verdict.value}: {sentence}",
        names.LOGFIRE_LEVEL: LEVEL[telling.said.severity],
    }
    return {name: clean(value) for name, value in values.items() if value is not None}


def clean(value: Value) -> Value:
    """The value, fit to travel: no lone surrogate, and no longer than `MAX_TEXT`."""
    if isinstance(value, str):
        short = value[:MAX_TEXT]
        return short if short.isascii() else short.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, tuple):
        return tuple(str(clean(one)) for one in value)
    return value
