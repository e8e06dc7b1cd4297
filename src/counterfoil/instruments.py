"""The instruments of the contract: every metric with its kind, unit, description, attributes and buckets.

Like the names in `counterfoil.names` they stand in `telemetry.yaml` for people, and a test holds the two together.
"""

from __future__ import annotations

from dataclasses import dataclass

from counterfoil.names import (
    CONSULT_MODE,
    CONSULT_RESULT,
    ERROR_TYPE,
    FINDING,
    READER,
    REASON,
    STATE,
    TOOL_NAME,
    TRANSPORT,
    VERDICT,
)


@dataclass(frozen=True, slots=True)
class Metric:
    """One instrument. ``kind`` is the contract's word for it: counter, updowncounter, gauge or histogram."""

    name: str
    kind: str
    unit: str
    description: str
    attributes: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


VERDICTS_TOTAL = Metric(
    "counterfoil.verdicts",
    "counter",
    "{operation}",
    "Operations by verdict; a revised verdict counts again under its new word.",
    (VERDICT, REASON, TOOL_NAME),
)
FINDINGS_TOTAL = Metric(
    "counterfoil.findings",
    "counter",
    "{finding}",
    "Findings about the way there, whatever the verdict is.",
    (FINDING, TOOL_NAME),
)
ATTEMPTS_TOTAL = Metric(
    "counterfoil.attempts",
    "counter",
    "{attempt}",
    "Attempts by how their sender saw them end.",
    (TRANSPORT, TOOL_NAME),
)
VERDICT_DURATION = Metric(
    "counterfoil.verdict.duration",
    "histogram",
    "s",
    "Time from the intent to the verdict.",
    (VERDICT, TOOL_NAME),
    (0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600, 21600, 86400),
)
OPERATIONS_OPEN = Metric(
    "counterfoil.operations.open",
    "updowncounter",
    "{operation}",
    "Operations that wait for a verdict, or whose verdict is indeterminate.",
    (STATE,),
)
INCIDENTS_OPEN = Metric(
    "counterfoil.incidents.open",
    "gauge",
    "{incident}",
    "Operations whose verdict pages and that are not resolved.",
    (VERDICT,),
)
OLDEST_AGE = Metric(
    "counterfoil.operation.oldest.age",
    "gauge",
    "s",
    "Age of the oldest operation without a settled verdict; 0 where there is none.",
)
OPERATIONS_FORGOTTEN = Metric(
    "counterfoil.operations.forgotten",
    "counter",
    "{operation}",
    "Operations forgotten because more than max_operations were known.",
)
HISTORIES_TOTAL = Metric(
    "counterfoil.histories",
    "counter",
    "{history}",
    "Message lists by what was found before they were replayed.",
    (VERDICT,),
)
CONSULTS_TOTAL = Metric(
    "counterfoil.consults",
    "counter",
    "{consult}",
    "Consultations of an advisor, by how they were made and how they ended.",
    (CONSULT_MODE, CONSULT_RESULT),
)
HEARTBEAT = Metric(
    "counterfoil.heartbeat.timestamp",
    "gauge",
    "s",
    "When the judge last ran, in seconds since 1970-01-01T00:00:00Z.",
)
FACTS_TOTAL = Metric(
    "counterfoil.facts",
    "counter",
    "{fact}",
    "Facts read, by the vocabulary that they were read from.",
    (READER,),
)
FACTS_DUPLICATES = Metric(
    "counterfoil.facts.duplicates",
    "counter",
    "{fact}",
    "Facts that a judge was sent and knew already.",
)
FACTS_DROPPED = Metric(
    "counterfoil.facts.dropped",
    "counter",
    "{fact}",
    "Facts that could not be taken in, by the cause.",
    (ERROR_TYPE,),
)
ERRORS_TOTAL = Metric(
    "counterfoil.errors",
    "counter",
    "{error}",
    "Errors of our own that were kept from the application, by kind.",
    (ERROR_TYPE,),
)

METRICS = (
    VERDICTS_TOTAL,
    FINDINGS_TOTAL,
    ATTEMPTS_TOTAL,
    VERDICT_DURATION,
    OPERATIONS_OPEN,
    INCIDENTS_OPEN,
    OLDEST_AGE,
    OPERATIONS_FORGOTTEN,
    HISTORIES_TOTAL,
    CONSULTS_TOTAL,
    HEARTBEAT,
    FACTS_TOTAL,
    FACTS_DUPLICATES,
    FACTS_DROPPED,
    ERRORS_TOTAL,
)
