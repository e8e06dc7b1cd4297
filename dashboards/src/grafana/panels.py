"""The kinds of panel that the dashboards are made of, with what all of one kind have in common."""

from __future__ import annotations

from grafana_foundation_sdk.builders import common, dashboard, prometheus, stat, table, tempo, timeseries
from grafana_foundation_sdk.models.common import (
    BigValueColorMode,
    BigValueGraphMode,
    GraphDrawStyle,
    GraphThresholdsStyleMode,
    LegendDisplayMode,
    LegendPlacement,
    SortOrder,
    StackingMode,
    TooltipDisplayMode,
)
from grafana_foundation_sdk.models.dashboard import DynamicConfigValue, FieldColorModeId, Threshold, ThresholdsMode
from grafana_foundation_sdk.models.prometheus import PromQueryFormat
from grafana_foundation_sdk.models.tempo import SearchTableType

from dashboards.src.grafana.sources import METRICS, TRACES
from dashboards.src.policy import EXPORT_INTERVAL
from dashboards.src.words import COLOURS, NO_TELEMETRY

SILENCE = "no telemetry"
"""What a panel says that has nothing to show. Nothing is not a 0."""

Step = tuple[float | None, str]


def series(expr: str, legend: str, ref: str = "A", *, exemplars: bool = False) -> prometheus.Dataquery:
    """A query over the time range. With exemplars, dots lead to the traces behind the numbers."""
    query = prometheus.Dataquery().expr(expr).legend_format(legend).ref_id(ref).datasource(METRICS).range()
    # Grafana makes $__rate_interval of it. Its own default, 15 s, would look at less than two exports and show nothing.
    query.interval(EXPORT_INTERVAL)
    return query.exemplar(True) if exemplars else query


def instant(expr: str, legend: str = "", ref: str = "A") -> prometheus.Dataquery:
    """A query at the end of the time range."""
    return prometheus.Dataquery().expr(expr).legend_format(legend).ref_id(ref).datasource(METRICS).instant()


def rows(expr: str, ref: str = "A") -> prometheus.Dataquery:
    """A query whose labels become the columns of a table."""
    return instant(expr, ref=ref).format(PromQueryFormat.TABLE)


def steps(*wanted: Step) -> dashboard.ThresholdsConfig:
    """Thresholds. The first step is also the colour of a missing value, so it is never green."""
    return (
        dashboard.ThresholdsConfig()
        .mode(ThresholdsMode.ABSOLUTE)
        .steps([Threshold(value=value, color=colour) for value, colour in wanted])
    )


def big_number(title: str, description: str, unit: str, *coloured: Step) -> stat.Panel:
    """One number per series on a coloured ground; grey where there is none."""
    return (
        stat.Panel()
        .title(title)
        .description(description)
        .datasource(METRICS)
        .unit(unit)
        .no_value(SILENCE)
        .thresholds(steps((None, NO_TELEMETRY), *coloured))
        .color_mode(BigValueColorMode.BACKGROUND)
        .graph_mode(BigValueGraphMode.NONE)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
    )


def lines(title: str, description: str, unit: str) -> timeseries.Panel:
    """Lines over time, with a table that names them."""
    return (
        timeseries.Panel()
        .title(title)
        .description(description)
        .datasource(METRICS)
        .unit(unit)
        .min(0)
        .no_value(SILENCE)
        .line_width(2)
        .fill_opacity(0)
        .tooltip(common.VizTooltipOptions().mode(TooltipDisplayMode.MULTI).sort(SortOrder.DESCENDING))
        .legend(
            common.VizLegendOptions()
            .display_mode(LegendDisplayMode.TABLE)
            .placement(LegendPlacement.BOTTOM)
            .calcs(["lastNotNull", "max"])
            .show_legend(True)
        )
    )


def bars(title: str, description: str, unit: str = "short") -> timeseries.Panel:
    """Stacked counts per interval. The legend has no totals: intervals of `increase()` overlap."""
    return (
        lines(title, description, unit)
        .max_data_points(150)
        .draw_style(GraphDrawStyle.BARS)
        .fill_opacity(80)
        .line_width(0)
        .stacking(common.StackingConfig().mode(StackingMode.NORMAL).group("A"))
        .legend(
            common.VizLegendOptions()
            .display_mode(LegendDisplayMode.LIST)
            .placement(LegendPlacement.BOTTOM)
            .show_legend(True)
        )
    )


def limit(panel: timeseries.Panel, value: float) -> timeseries.Panel:
    """A dashed line where an alert begins."""
    style = common.GraphThresholdsStyleConfig().mode(GraphThresholdsStyleMode.DASHED)
    return panel.thresholds(steps((None, "transparent"), (value, "red"))).thresholds_style(style)


def columns(title: str, description: str) -> table.Panel:
    """A table of metrics."""
    return table.Panel().title(title).description(description).datasource(METRICS).unit("locale").no_value(SILENCE)


def shades(panel: timeseries.Panel, colour: str) -> timeseries.Panel:
    """Series whose names aren't known beforehand, in shades of one colour: Grafana's own choice begins with green."""
    return panel.color_scheme(dashboard.FieldColor().mode(FieldColorModeId.SHADES).fixed_color(colour))


def spans(title: str, description: str, traceql: str) -> table.Panel:
    """A table of spans from Tempo; its trace ids open the traces."""
    query = (
        tempo.Dataquery()
        .ref_id("A")
        .datasource(TRACES)
        .query_type("traceql")
        .table_type(SearchTableType.SPANS)
        .limit(50)
        .query(traceql)
    )
    return (
        table.Panel()
        .title(title)
        .description(description)
        .datasource(TRACES)
        .unit("short")
        .no_value("none in this range, or its traces were not kept")
        .with_target(query)
    )


def colour(name: str, colour: str) -> tuple[str, list[DynamicConfigValue]]:
    """An override that gives everything of one name one colour."""
    return name, [DynamicConfigValue(id_val="color", value={"mode": "fixed", "fixedColor": colour})]


def by_verdict(panel: timeseries.Panel) -> timeseries.Panel:
    """The fixed colour of every verdict, wherever it is the name of a series."""
    for verdict, fixed in COLOURS.items():
        panel.override_by_name(*colour(verdict, fixed))
    return panel
