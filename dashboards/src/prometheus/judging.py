"""Alerts on the judge itself: silence is not safety."""

from __future__ import annotations

from dashboards.src.policy import LATE_AFTER_S, REMEMBERED_FOR, SEEN_WITHIN, SILENT_AFTER, STUCK_AFTER_S
from dashboards.src.prometheus.rule import Alert, Group
from dashboards.src.promql import newly, summed

_SECONDS = {"10m": 600}
BEAT = "counterfoil_heartbeat_timestamp_seconds"

TELEMETRY_MISSING = Alert(
    name="CounterfoilTelemetryMissing",
    severity="page",
    # By the heartbeat's value, not by whether a series is there: a collector goes on exposing a dead process' series.
    expr=f"time() - max by (job) (max_over_time({BEAT}[{REMEMBERED_FOR}])) > {_SECONDS[SILENT_AFTER]}",
    wait="5m",
    summary="{{ $labels.job }}: no judge has run for {{ $value | humanizeDuration }}.",
    description=(
        f"It ran within the last {REMEMBERED_FOR} and stopped. Nothing about this job can fire while that lasts: no "
        f"alert is not the same as no incident. After {REMEMBERED_FOR} this rule forgets the job."
    ),
)

TELEMETRY_NEVER_SEEN = Alert(
    name="CounterfoilTelemetryNeverSeen",
    severity="ticket",
    expr=f"absent({BEAT})",
    wait="15m",
    summary="This Prometheus has no heartbeat of any judge.",
    description="Either nothing is instrumented yet, or the metrics go elsewhere or arrive under other names.",
)

JUDGE_LATE = Alert(
    name="CounterfoilJudgeLate",
    severity="ticket",
    expr=f"time() - max by (job) ({BEAT}) > {LATE_AFTER_S}",
    wait="5m",
    summary="{{ $labels.job }}: telemetry arrives, but no judge has run for {{ $value | humanizeDuration }}.",
    description="The process is alive and its judge is stuck, starved or stopped. Operations stay without a verdict.",
)

VERIFICATION_STUCK = Alert(
    name="CounterfoilVerificationStuck",
    severity="ticket",
    expr=f"max by (job) (counterfoil_operation_oldest_age_seconds) > {STUCK_AFTER_S}",
    wait="10m",
    summary="{{ $labels.job }}: an operation has waited {{ $value | humanizeDuration }} for a settled verdict.",
    description=(
        "Its receipt, its webhook or its probe doesn't come, or its deadline is longer than this rule allows. What it "
        "did in the world is not known."
    ),
)

FACTS_DROPPED = Alert(
    name="CounterfoilFactsDropped",
    severity="ticket",
    expr=summed("job, error_type", newly("counterfoil_facts_dropped_total", SEEN_WITHIN)) + " > 0",
    keep="30m",
    summary="{{ $labels.job }}: facts were dropped ({{ $labels.error_type }}).",
    description=(
        "A bound was reached or a fact could not be read, and evidence was lost. A lost fact can hide a bad verdict "
        "but not invent one, so the numbers of this job are now a lower bound."
    ),
)

ERRORS = Alert(
    name="CounterfoilErrors",
    severity="ticket",
    expr=summed("job, error_type", newly("counterfoil_errors_total", SEEN_WITHIN)) + " > 0",
    keep="30m",
    summary="{{ $labels.job }}: {{ $labels.error_type }} inside Counterfoil.",
    description="The application was not disturbed, but a reader, a rule, a probe or the ledger failed.",
)

WATCHDOG = Alert(
    name="CounterfoilWatchdog",
    severity="none",
    expr="vector(1)",
    summary="Always firing.",
    description=(
        "Route it to a service that raises an alarm when it stops arriving: then the way alerts take is broken."
    ),
)

GROUP = Group(
    "counterfoil.judging",
    (
        TELEMETRY_MISSING,
        TELEMETRY_NEVER_SEEN,
        JUDGE_LATE,
        VERIFICATION_STUCK,
        FACTS_DROPPED,
        ERRORS,
        WATCHDOG,
    ),
)
