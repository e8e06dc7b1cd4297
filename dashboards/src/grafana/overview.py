"""Overview: does a person have to act now?"""

from __future__ import annotations

from grafana_foundation_sdk.builders import bargauge, common, dashboard, stat, table, timeseries
from grafana_foundation_sdk.models.common import BarGaugeDisplayMode, VizOrientation
from grafana_foundation_sdk.models.dashboard import (
    DataTransformerConfig,
    DynamicConfigValue,
    ValueMap,
    ValueMappingResult,
)

from dashboards.src.grafana import links, panels, queries
from dashboards.src.grafana.frame import frame
from dashboards.src.grafana.sources import METRICS, TOOL, job, service, tool
from dashboards.src.policy import STUCK_AFTER_S
from dashboards.src.words import COLOURS, SEVERE, any_of

NOTHING = "#5A5F68"
"""Dim grey for a 0 in a table, so that what is there stands out."""


def open_incidents() -> stat.Panel:
    return (
        panels.big_number(
            "Open incidents",
            "Operations whose effect in the real world is wrong and that nobody has resolved yet. Anything above 0 "
            "needs a person; a retry makes it worse. A 0 is shown only while a judge is running.",
            "short",
            (0, "green"),
            (1, "red"),
        )
        .decimals(0)
        .with_target(panels.instant(queries.OPEN_INCIDENTS, "{{counterfoil_verdict}}"))
        .data_links([links.traces_of_verdict()])
        .height(5)
        .span(11)
    )


def silent_jobs() -> stat.Panel:
    return (
        panels.big_number(
            "Jobs gone silent",
            "Jobs whose judge ran within the last six hours and not within the last ten minutes. While a job is "
            "silent, no number about it means anything.",
            "short",
            (0, "green"),
            (1, "red"),
        )
        .decimals(0)
        .with_target(panels.instant(queries.SILENT_JOBS))
        .height(5)
        .span(4)
    )


def oldest() -> stat.Panel:
    return (
        panels.big_number(
            "Oldest without a verdict",
            "Age of the oldest operation without a settled verdict. What it did is not known yet.",
            "s",
            (0, "green"),
            (STUCK_AFTER_S / 2, "orange"),
            (STUCK_AFTER_S, "red"),
        )
        .with_target(panels.instant(queries.OLDEST))
        .height(5)
        .span(4)
    )


def coverage() -> stat.Panel:
    return (
        panels.big_number(
            "Evidence coverage",
            "Share of the decided operations in this range that could be verified at all. The rest were clean calls "
            "without a receipt. It rises when tools declare where their receipt is.",
            "percentunit",
            (0, "dark-blue"),
        )
        .decimals(0)
        .with_target(panels.instant(queries.coverage()))
        .height(5)
        .span(5)
    )


def verdicts() -> timeseries.Panel:
    return panels.by_verdict(
        panels.bars(
            "Verdicts",
            "Verdicts per interval, extrapolated: read the shape here and the numbers below. A verdict that was "
            "revised counts again under its new name. Dots are examples; a click opens the trace.",
        )
        .with_target(
            panels.series(
                queries.rose(queries.VERDICTS, "counterfoil_verdict"), "{{counterfoil_verdict}}", exemplars=True
            )
        )
        .data_links([links.traces_of_verdict()])
        .height(9)
        .span(12)
    )


def time_to_verdict() -> timeseries.Panel:
    panel = panels.lines(
        "Time to verdict",
        "From the intent to the verdict. The dashed line is where an operation counts as stuck.",
        "s",
    )
    for ref, share, fixed in zip("ABC", (0.5, 0.95, 0.99), ("super-light-blue", "blue", "purple"), strict=True):
        panel.override_by_name(*panels.colour(f"p{share * 100:g}", fixed))
        panel.with_target(
            panels.series(queries.quantile(share, TOOL), f"p{share * 100:g}", ref, exemplars=share == 0.95)
        )
    return panels.limit(panel.max_data_points(150), STUCK_AFTER_S).height(9).span(12)


def by_tool() -> table.Panel:
    panel = (
        panels.columns("Verdicts by tool", "How often each tool got each verdict in this range, the worst on the left.")
        .decimals(0)
        .mappings([ValueMap(options={"0": ValueMappingResult(text="0", color=NOTHING)})])
        .with_target(panels.rows(queries.total(queries.VERDICTS, "gen_ai_tool_name, counterfoil_verdict")))
        .with_transformation(
            DataTransformerConfig(
                id_val="groupingToMatrix",
                options={
                    "rowField": "gen_ai_tool_name",
                    "columnField": "counterfoil_verdict",
                    "valueField": "Value",
                    "emptyValue": "zero",
                },
            )
        )
        .with_transformation(
            DataTransformerConfig(
                id_val="organize",
                options={
                    "indexByName": {
                        name: place for place, name in enumerate(("gen_ai_tool_name\\counterfoil_verdict", *COLOURS))
                    },
                    "renameByName": {"gen_ai_tool_name\\counterfoil_verdict": "Tool"},
                },
            )
        )
        .override_by_name("Tool", links.on_column(links.tool_in_operations()))
    )
    for verdict, fixed in COLOURS.items():
        name, properties = panels.colour(verdict, fixed)
        panel.override_by_name(
            name, [*properties, DynamicConfigValue(id_val="custom.cellOptions", value={"type": "color-text"})]
        )
    return panel.height(8).span(14)


def coverage_by_tool() -> bargauge.Panel:
    return (
        bargauge.Panel()
        .title("Evidence coverage by tool")
        .description("Which tools can be verified, and which only say that they worked: what to declare next.")
        .datasource(METRICS)
        .unit("percentunit")
        .min(0)
        .max(1)
        .decimals(0)
        .no_value(panels.SILENCE)
        .thresholds(panels.steps((None, "dark-blue")))
        .display_mode(BarGaugeDisplayMode.BASIC)
        .orientation(VizOrientation.HORIZONTAL)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
        .with_target(panels.instant(queries.coverage("gen_ai_tool_name"), "{{gen_ai_tool_name}}"))
        .height(8)
        .span(10)
    )


def incidents() -> table.Panel:
    return (
        panels.spans(
            "Severe verdicts, newest first",
            "One row per verdict that needed a person. The trace holds the call; the links of the verdict span lead to "
            "every witness, in whichever trace it lies.",
            f'{{ span.counterfoil.verdict =~ "{any_of(SEVERE)}" && span.gen_ai.tool.name =~ "$tool" '
            f'&& resource.service.name =~ "$service" }} | select(span.counterfoil.verdict, '
            f"span.counterfoil.operation.id, span.gen_ai.tool.name, span.counterfoil.explanation)",
        )
        .override_by_name("counterfoil.operation.id", links.on_column(links.traces_of_operation()))
        .height(9)
        .span(24)
    )


def overview() -> dashboard.Dashboard:
    """The dashboard for whoever is on call."""
    made = frame(
        "Overview",
        "Did what the agents did really happen, and only once? Red on top means that a person has to act.",
        [job(), tool(), service()],
    )
    for panel in (
        open_incidents(),
        silent_jobs(),
        oldest(),
        coverage(),
        verdicts(),
        time_to_verdict(),
        by_tool(),
        coverage_by_tool(),
        incidents(),
    ):
        made.with_panel(panel)
    return made
