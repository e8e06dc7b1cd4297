"""Operations: one tool or one agent, and what transport hides."""

from __future__ import annotations

from grafana_foundation_sdk.builders import dashboard, table, timeseries
from grafana_foundation_sdk.models.dashboard import DataTransformerConfig, DynamicConfigValue

from counterfoil.verdicts import Finding
from dashboards.src.grafana import links, panels, queries
from dashboards.src.grafana.frame import frame
from dashboards.src.grafana.sources import JOB, TOOL, job, service, text, tool
from dashboards.src.policy import STUCK_AFTER_S
from dashboards.src.words import DECIDED, REASON_COLOURS, UNADVISED

ATTEMPTS = f"counterfoil_attempts_total{{{TOOL}}}"
SENT_WELL = f'counterfoil_attempts_total{{{TOOL}, counterfoil_transport="success"}}'
DECISIONS = f"counterfoil_verdicts_total{{{TOOL}, {DECIDED}}}"
APPLIED = f'counterfoil_verdicts_total{{{TOOL}, counterfoil_verdict="verified_applied"}}'
FINDINGS = f"counterfoil_findings_total{{{TOOL}}}"
DOUBTS = f'counterfoil_verdicts_total{{{TOOL}, counterfoil_verdict="indeterminate"}}'

TRANSPORT = {
    "success": "super-light-blue",
    "http_status": "light-orange",
    "timeout": "orange",
    "cancelled": "light-purple",
    "error": "light-red",
    "started": "light-yellow",
}
"""Paler than the verdicts, and never green: how a call ended says nothing about its effect."""


def against() -> table.Panel:
    shares = ("Attempts per operation", "Transport success", "Verified applied")
    panel = panels.columns(
        "Transport against outcome, by tool",
        "What was sent well beside what is known to have taken effect, in this range. The gap between the last two "
        "columns is what a dashboard of status codes doesn't show.",
    )
    for ref, query in zip(
        "ABCDE",
        (
            queries.total(DECISIONS, "gen_ai_tool_name"),
            queries.total(ATTEMPTS, "gen_ai_tool_name"),
            queries.share(ATTEMPTS, DECISIONS, "gen_ai_tool_name"),
            queries.share(SENT_WELL, ATTEMPTS, "gen_ai_tool_name"),
            queries.share(APPLIED, DECISIONS, "gen_ai_tool_name"),
        ),
        strict=True,
    ):
        panel.with_target(panels.rows(query, ref))
    panel.with_transformation(DataTransformerConfig(id_val="merge", options={})).with_transformation(
        DataTransformerConfig(
            id_val="organize",
            options={
                "excludeByName": {"Time": True},
                "renameByName": {
                    "gen_ai_tool_name": "Tool",
                    "Value #A": "Operations decided",
                    "Value #B": "Attempts",
                    "Value #C": shares[0],
                    "Value #D": shares[1],
                    "Value #E": shares[2],
                },
            },
        )
    )
    panel.override_by_name(shares[0], [DynamicConfigValue(id_val="decimals", value=2)])
    for name in shares[1:]:
        panel.override_by_name(
            name,
            [
                DynamicConfigValue(id_val="unit", value="percentunit"),
                DynamicConfigValue(id_val="decimals", value=1),
            ],
        )
    return panel.height(8).span(24)


def attempts() -> timeseries.Panel:
    panel = panels.bars(
        "Attempts by transport",
        "How the sender saw each attempt end, per interval. More attempts than verdicts means that calls are repeated.",
    ).with_target(
        panels.series(queries.rose(ATTEMPTS, "counterfoil_transport"), "{{counterfoil_transport}}", exemplars=True)
    )
    for transport, fixed in TRANSPORT.items():
        panel.override_by_name(*panels.colour(transport, fixed))
    return panel.height(8).span(12)


def outcomes() -> timeseries.Panel:
    return panels.by_verdict(
        panels.bars("Verdicts", "What became of the same calls, per interval. Dots are examples and open their trace.")
        .with_target(
            panels.series(
                queries.rose(queries.VERDICTS, "counterfoil_verdict"), "{{counterfoil_verdict}}", exemplars=True
            )
        )
        .data_links([links.traces_of_verdict()])
        .height(8)
        .span(12)
    )


def findings() -> timeseries.Panel:
    panel = panels.by_verdict(
        panels.bars(
            "Findings",
            "What was wrong with the way there, whatever came of it. An unsafe retry that did no harm is still one.",
        )
        .with_target(
            panels.series(queries.rose(FINDINGS, "counterfoil_finding"), "{{counterfoil_finding}}", exemplars=True)
        )
        .height(8)
        .span(8)
    )
    return panel.override_by_name(*panels.colour(Finding.UNADVISED, UNADVISED))


def reasons() -> timeseries.Panel:
    panel = (
        panels.bars(
            "Why operations are in doubt",
            "Reasons of the verdict indeterminate, per interval. `unverified` is the everyday case: a clean call "
            "without a receipt. `ambiguous` is a call that may have taken effect.",
        )
        .with_target(
            panels.series(queries.rose(DOUBTS, "counterfoil_reason"), "{{counterfoil_reason}}", exemplars=True)
        )
        .height(8)
        .span(8)
    )
    for reason, fixed in REASON_COLOURS.items():
        panel.override_by_name(*panels.colour(reason, fixed))
    return panel


def waiting() -> timeseries.Panel:
    return (
        panels.lines("Open operations", "Operations that wait for a verdict, or whose verdict is in doubt.", "short")
        .decimals(0)
        .with_target(
            panels.series(f"sum by (counterfoil_state) (counterfoil_operations_open{{{JOB}}})", "{{counterfoil_state}}")
        )
        .override_by_name(*panels.colour("settling", "blue"))
        .override_by_name(*panels.colour("indeterminate", "orange"))
        .height(8)
        .span(8)
    )


def oldest() -> timeseries.Panel:
    panel = panels.lines(
        "Oldest in doubt",
        "Age of the oldest operation without a settled verdict, per job. Above the dashed line something holds it up.",
        "s",
    ).with_target(panels.series(f"max by (job) (counterfoil_operation_oldest_age_seconds{{{JOB}}})", "{{job}}"))
    return panels.limit(panels.shades(panel, "orange"), STUCK_AFTER_S).height(8).span(12)


def time_by_verdict() -> timeseries.Panel:
    return panels.by_verdict(
        panels.lines("Time to verdict, p95", "From the intent to the verdict, by verdict. Doubt takes longest.", "s")
        .max_data_points(150)
        .with_target(
            panels.series(
                queries.quantile(0.95, TOOL, "counterfoil_verdict"),
                "{{counterfoil_verdict}}",
                exemplars=True,
            )
        )
        .height(8)
        .span(12)
    )


def doubtful() -> table.Panel:
    return _with_operation(
        panels.spans(
            "Doubt and unsafe retries, newest first",
            "Verdict spans of this tool and agent. The operation's id leads to every span of it.",
            '{ span.counterfoil.verdict =~ "unsafe_retry|indeterminate" && span.counterfoil.reason != "unverified" '
            '&& span.gen_ai.tool.name =~ "$tool" && span.gen_ai.agent.name =~ "$agent" '
            '&& resource.service.name =~ "$service" } | select(span.counterfoil.verdict, span.counterfoil.reason, '
            "span.counterfoil.operation.id, span.gen_ai.tool.name, span.counterfoil.attempt.count, "
            "span.counterfoil.next_action)",
        )
    )


def one_operation() -> table.Panel:
    return _with_operation(
        panels.spans(
            "Every span of one operation",
            "All attempts, sightings and verdicts of the operation whose id stands above, over all traces.",
            '{ span.counterfoil.operation.id = "$operation" } | select(span.counterfoil.operation.id, '
            "span.counterfoil.verdict, span.counterfoil.effect.ref, span.gen_ai.tool.name)",
        )
    )


def _with_operation(panel: table.Panel) -> table.Panel:
    panel.override_by_name("counterfoil.operation.id", links.on_column(links.traces_of_operation()))
    return panel.height(9).span(12)


def operations() -> dashboard.Dashboard:
    """The dashboard for whoever owns a tool or an agent."""
    made = frame(
        "Operations",
        "One tool or one agent: how often it is tried, what transport says, what is known of the effect.",
        [
            job(),
            tool(),
            service(),
            text("agent", "Agent (traces)", "Regular expression for gen_ai.agent.name. Metrics don't have it.", ".*"),
            text("operation", "Operation", "counterfoil.operation.id, to see all of its spans.", ""),
        ],
    )
    for panel in (
        against(),
        attempts(),
        outcomes(),
        findings(),
        reasons(),
        waiting(),
        oldest(),
        time_by_verdict(),
        doubtful(),
        one_operation(),
    ):
        made.with_panel(panel)
    return made
