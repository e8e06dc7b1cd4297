"""Alerts on single events: one is enough, whatever the traffic."""

from __future__ import annotations

from dashboards.src.policy import SEEN_WITHIN
from dashboards.src.prometheus.rule import Alert, Group
from dashboards.src.promql import newly, summed
from dashboards.src.words import SEVERE_ONLY

INCIDENT_OPEN = Alert(
    name="CounterfoilIncidentOpen",
    severity="page",
    expr=f"sum by (job, counterfoil_verdict) (last_over_time(counterfoil_incidents_open{{{SEVERE_ONLY}}}[15m])) > 0",
    summary="{{ $labels.job }}: {{ $value }} open {{ $labels.counterfoil_verdict }}.",
    description=(
        "An effect in the real world is wrong: it happened twice, did not happen though it was reported, isn't what "
        "was asked for, or two different requests went out under one key. It stays open until a person resolves it."
    ),
)

SEVERE_VERDICT_SEEN = Alert(
    name="CounterfoilSevereVerdictSeen",
    severity="page",
    expr=summed(
        "job, gen_ai_tool_name, counterfoil_verdict",
        newly(f"counterfoil_verdicts_total{{{SEVERE_ONLY}}}", SEEN_WITHIN),
    )
    + " > 0",
    keep="15m",
    summary="{{ $labels.job }}: {{ $labels.counterfoil_verdict }} on {{ $labels.gen_ai_tool_name }}.",
    description=(
        "A verdict that needs a person was reached in the last minutes. This one is read from a counter, so it also "
        "fires when the process that kept the list of open incidents has died."
    ),
)

UNSAFE_RETRY_SEEN = Alert(
    name="CounterfoilUnsafeRetrySeen",
    severity="ticket",
    expr=summed(
        "job, gen_ai_tool_name",
        newly('counterfoil_findings_total{counterfoil_finding="unsafe_retry"}', SEEN_WITHIN),
    )
    + " > 0",
    keep="1h",
    summary="{{ $labels.job }}: {{ $labels.gen_ai_tool_name }} was retried where the provider could not know it.",
    description=(
        "A call went out again under another key or none, or with a payload that nobody approved. It may have been "
        "harmless this time; the next one may not be."
    ),
)

GROUP = Group("counterfoil.severe", (INCIDENT_OPEN, SEVERE_VERDICT_SEEN, UNSAFE_RETRY_SEEN))
