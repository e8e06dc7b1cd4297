"""Data sources, variables and the labels they select by, the same on every dashboard."""

from __future__ import annotations

from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.models.common import DataSourceRef
from grafana_foundation_sdk.models.dashboard import VariableModel, VariableOption, VariableRefresh, VariableSort

METRICS = DataSourceRef(type_val="prometheus", uid="${datasource}")
TRACES = DataSourceRef(type_val="tempo", uid="${tempo}")

JOB = 'job=~"$job"'
"""Every query filters by job: over OTLP it is `service.namespace/service.name`, and it is always there."""

TOOL = f'{JOB}, gen_ai_tool_name=~"$tool"'

Variables = list[Builder[VariableModel]]


def data_sources() -> Variables:
    """Which Prometheus and which Tempo; nothing in the dashboards names one."""
    return [
        dashboard.DatasourceVariable("datasource")
        .label("Metrics")
        .description("Prometheus, or what speaks its language.")
        .type("prometheus"),
        dashboard.DatasourceVariable("tempo").label("Traces").description("Tempo, for links and lists.").type("tempo"),
    ]


def job() -> Builder[VariableModel]:
    """Jobs that have a judge. By the heartbeat, so that a job without any verdict is there too."""
    return _labels(
        "job",
        "Job",
        "service.namespace/service.name, or the scrape job's name.",
        "label_values(counterfoil_heartbeat_timestamp_seconds, job)",
    )


def tool() -> Builder[VariableModel]:
    """Tools of the chosen jobs."""
    return _labels(
        "tool",
        "Tool",
        "gen_ai.tool.name. Tools past the first 200 are one, _OTHER.",
        f"label_values(counterfoil_verdicts_total{{{JOB}}}, gen_ai_tool_name)",
    )


def text(name: str, label: str, description: str, default: str) -> Builder[VariableModel]:
    """A field to type in, for what metrics don't know."""
    return dashboard.TextBoxVariable(name).label(label).description(description).default_value(default)


def service() -> Builder[VariableModel]:
    """Traces have no job, so they are chosen by the service's name."""
    return text("service", "Service (traces)", "Regular expression for service.name, for the lists of traces.", ".*")


def _labels(name: str, label: str, description: str, query: str) -> Builder[VariableModel]:
    return (
        dashboard.QueryVariable(name)
        .label(label)
        .description(description)
        .datasource(METRICS)
        .query({"query": query, "qryType": 1, "refId": "PrometheusVariableQueryEditor-VariableQuery"})
        .definition(query)
        .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(VariableSort.ALPHABETICAL_ASC)
        .multi(True)
        .include_all(True)
        # `.+` would hide every series that lacks the label.
        .all_value(".*")
        .current(VariableOption(selected=True, text="All", value="$__all"))
    )
