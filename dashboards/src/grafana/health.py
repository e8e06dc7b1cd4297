"""Health of the judge: can the other two dashboards be believed?"""

from __future__ import annotations

from grafana_foundation_sdk.builders import dashboard, stat, timeseries

from dashboards.src.grafana import panels, queries
from dashboards.src.grafana.frame import frame
from dashboards.src.grafana.sources import JOB, job
from dashboards.src.policy import LATE_AFTER_S, REMEMBERED_FOR
from dashboards.src.promql import indented, newly

DROPPED = f"counterfoil_facts_dropped_total{{{JOB}}}"
FORGOTTEN = f"counterfoil_operations_forgotten_total{{{JOB}}}"
ERRORS = f"counterfoil_errors_total{{{JOB}}}"
LEDGER = f'counterfoil_errors_total{{{JOB}, error_type=~"ledger:.+"}}'
FACTS = f"counterfoil_facts_total{{{JOB}}}"
HISTORIES = f"counterfoil_histories_total{{{JOB}}}"
CONSULTS = f"counterfoil_consults_total{{{JOB}}}"

HISTORY_COLOURS = {
    "untrusted_history": "dark-red",
    "scope_drift": "red",
    "system_prompt_gap": "#FF7383",
    "interrupted_tool": "orange",
    "orphan_result_removed": "yellow",
    "missing_outcome_receipt": "purple",
    "ready": "green",
}
"""One colour for each verdict on a message list."""


def beat() -> stat.Panel:
    return (
        panels.big_number(
            "Time since the judge last ran",
            "Per job, now. While this is red or grey, no alert is not the same as no incident.",
            "s",
            (0, "green"),
            (LATE_AFTER_S, "orange"),
            (600, "red"),
        )
        .with_target(
            panels.instant(
                f"time() - max by (job) (max_over_time({queries.BEAT}[{REMEMBERED_FOR}]))",
                "{{job}}",
            )
        )
        .height(5)
        .span(9)
    )


def lost(title: str, description: str, counter: str) -> stat.Panel:
    """How much of something that should be 0 there was in this range: 0 only where a judge reports at all."""
    running = f"0 * count(max_over_time({queries.BEAT}[$__range]))"
    rise = indented(newly(counter, "$__range"))
    return (
        panels.big_number(title, description, "short", (0, "green"), (1, "red"))
        .decimals(0)
        .with_target(panels.instant(f"round(sum(\n{rise}\n))\nor\n{running}"))
        .height(5)
        .span(5)
    )


def lag() -> timeseries.Panel:
    panel = panels.lines(
        "Judge's lag, by process",
        "Time since each process' judge last ran. A saw-tooth up to the export interval is normal; a slope is not.",
        "s",
    ).with_target(panels.series(f"time() - max by (job, instance) ({queries.BEAT})", "{{job}} {{instance}}"))
    return panels.limit(panels.shades(panel, "blue"), LATE_AFTER_S).height(9).span(12)


def facts() -> timeseries.Panel:
    return panels.shades(
        panels.bars(
            "Facts read, by vocabulary",
            "What the verdicts rest on, per interval. None while tools are called: no reader knows the spans.",
        )
        .with_target(panels.series(queries.rose(FACTS, "counterfoil_reader"), "{{counterfoil_reader}}"))
        .height(9)
        .span(12),
        "blue",
    )


def dropped() -> timeseries.Panel:
    return panels.shades(
        panels.bars(
            "Facts dropped and operations forgotten",
            "Evidence that was lost, by cause. It can hide a bad verdict but not invent one.",
        )
        .with_target(panels.series(queries.rose(DROPPED, "error_type"), "dropped: {{error_type}}", "A"))
        .with_target(panels.series(queries.rose(FORGOTTEN, "job"), "forgotten: {{job}}", "B"))
        .height(8)
        .span(8),
        "orange",
    )


def errors() -> timeseries.Panel:
    return panels.shades(
        panels.bars(
            "Errors inside Counterfoil",
            "Errors that were kept from the application, by kind.",
        )
        .with_target(panels.series(queries.rose(ERRORS, "error_type"), "{{error_type}}"))
        .height(8)
        .span(8),
        "red",
    )


def ledger() -> timeseries.Panel:
    return panels.shades(
        panels.bars(
            "Ledger faults",
            "Times that the ledger could not be used, by job. Evidence waits in memory meanwhile, so much and no more.",
        )
        .with_target(panels.series(queries.rose(LEDGER, "job"), "{{job}}"))
        .height(8)
        .span(8),
        "orange",
    )


def histories() -> timeseries.Panel:
    panel = (
        panels.bars(
            "Histories audited before a replay",
            "Message lists by the first gate that they failed. Which of them a run went on from stands on their spans.",
        )
        .with_target(panels.series(queries.rose(HISTORIES, "counterfoil_verdict"), "{{counterfoil_verdict}}"))
        .height(8)
        .span(12)
    )
    for verdict, fixed in HISTORY_COLOURS.items():
        panel.override_by_name(*panels.colour(verdict, fixed))
    return panel


def consults() -> timeseries.Panel:
    return panels.shades(
        panels.bars(
            "Consultations of advisors",
            "How they ended, and how they were made. Replayed: paid for again. None of them changes a verdict.",
        )
        .with_target(
            panels.series(
                queries.rose(CONSULTS, "counterfoil_consult_result, counterfoil_consult_mode"),
                "{{counterfoil_consult_result}} ({{counterfoil_consult_mode}})",
            )
        )
        .height(8)
        .span(12),
        "purple",
    )


def health() -> dashboard.Dashboard:
    """The dashboard for whoever runs Counterfoil."""
    made = frame(
        "Health of the judge",
        "Does the judge run, does it see everything, does it lose anything? A silent judge is not a quiet day.",
        [job()],
    )
    for panel in (
        beat(),
        lost("Facts dropped", "Facts that could not be taken in, in this range.", DROPPED),
        lost("Operations forgotten", "Operations forgotten because more than max_operations were known.", FORGOTTEN),
        lost("Errors", "Errors of its own that were kept from the application, in this range.", ERRORS),
        lag(),
        facts(),
        dropped(),
        errors(),
        ledger(),
        histories(),
        consults(),
    ):
        made.with_panel(panel)
    return made
