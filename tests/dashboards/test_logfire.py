"""Every query of Logfire's dashboards and alerts runs, returns the columns that its panel needs, and says the truth."""

from __future__ import annotations

from typing import Any

import pytest

from counterfoil.verdicts import PAGES, Reason
from dashboards.src.logfire import health, operations, overview
from dashboards.src.logfire.alerts import ALERTS, SqlAlert
from dashboards.src.logfire.files import DASHBOARDS
from dashboards.src.logfire.perses import WIDTH, Panel
from tests.dashboards.logfire_sql import Logfire
from tests.dashboards.told import TOLD, lines

PANELS = [*overview.PANELS, *operations.PANELS, *health.PANELS]


@pytest.fixture(scope="module")
def logfire() -> Logfire:
    return Logfire(lines())


def rows(logfire: Logfire, panels: tuple[Panel, ...], key: str, **variables: str) -> list[dict[str, Any]]:
    (panel,) = (panel for panel in panels if panel.key == key)
    return logfire.ask(panel.query, **variables).to_pylist()


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.key)
def test_a_panel_gets_the_columns_it_needs_and_something_to_show(panel: Panel, logfire: Logfire) -> None:
    answer = logfire.ask(panel.query)

    assert tuple(answer.schema().names) == panel.columns
    assert answer.to_pylist(), "nothing to show"
    if panel.kind == "TimeSeriesChart":
        assert str(answer.schema().field("x").type).startswith("timestamp")
        spec = panel.spelled()["spec"]["queries"][0]["spec"]["plugin"]["spec"]
        assert spec["metrics"], "without a value column Logfire draws nothing"
        assert set(spec["metrics"]) | {spec["groupBy"]} - {""} == set(panel.columns) - {"x"}


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert.name)
def test_an_alert_returns_what_a_person_needs(alert: SqlAlert, logfire: Logfire) -> None:
    assert tuple(logfire.ask(alert.query).schema().names) == alert.columns


def test_the_alert_on_severe_verdicts_names_exactly_those(logfire: Logfire) -> None:
    (alert,) = (alert for alert in ALERTS if alert.name == "severe-verdict")

    told = logfire.ask(alert.query).to_pylist()

    assert {row["operation"] for row in told} == {f"op-{verdict}" for verdict in PAGES} | {"op-compensated"}
    assert all(row["trace_id"] and row["tool"] == "charge" for row in told)


def test_open_incidents_leave_out_what_was_compensated_and_what_was_revised(logfire: Logfire) -> None:
    assert rows(logfire, overview.PANELS, "Open") == [{"open_incidents": len(PAGES)}]


def test_a_revised_verdict_counts_once(logfire: Logfire) -> None:
    assert rows(logfire, overview.PANELS, "Operations") == [{"operations": len({each.operation for each in TOLD})}]


def test_doubt_is_listed_by_its_newest_reason_without_the_everyday_one(logfire: Logfire) -> None:
    listed = [row["operation"] for row in rows(logfire, operations.PANELS, "Oldest")]

    assert set(listed) == {f"op-{reason}" for reason in Reason if reason is not Reason.UNVERIFIED}


def test_the_tool_variable_chooses(logfire: Logfire) -> None:
    chosen = rows(logfire, overview.PANELS, "ByTool", tool="send")

    assert {row["tool"] for row in chosen} == {"send"}
    assert rows(logfire, overview.PANELS, "ByTool", service="nobody") == []


def test_doubt_past_its_deadline_is_told_and_other_doubt_is_not(logfire: Logfire) -> None:
    (alert,) = (alert for alert in ALERTS if alert.name == "doubt-past-its-deadline")

    assert {row["operation"] for row in logfire.ask(alert.query).to_pylist()} == {"op-late", "op-telemetry_gap"}


@pytest.mark.parametrize(("ago", "fires"), [(5.0, False), (700.0, True)])
def test_a_silent_judge_is_told_by_the_time_of_its_heartbeat(ago: float, fires: bool) -> None:
    (alert,) = (alert for alert in ALERTS if alert.name == "judge-silent")

    assert bool(Logfire(lines(beat_ago_s=ago)).ask(alert.query).to_pylist()) is fires


@pytest.mark.parametrize("board", DASHBOARDS, ids=lambda board: board["metadata"]["name"])
def test_every_panel_is_placed_once_and_inside_the_grid(board: dict[str, Any]) -> None:
    spec = board["spec"]
    items = [item for layout in spec["layouts"] for item in layout["spec"]["items"]]

    assert sorted(item["content"]["$ref"] for item in items) == sorted(f"#/spec/panels/{key}" for key in spec["panels"])
    assert all(item["x"] + item["width"] <= WIDTH for item in items)
    cells = [
        (item["x"] + x, item["y"] + y) for item in items for x in range(item["width"]) for y in range(item["height"])
    ]
    assert len(cells) == len(set(cells)), "two panels lie on each other"


@pytest.mark.parametrize("board", DASHBOARDS, ids=lambda board: board["metadata"]["name"])
def test_terraform_can_keep_the_document(board: dict[str, Any]) -> None:
    spec = board["spec"]

    assert spec["datasources"] == {}
    assert "annotations" not in spec
    assert "links" not in spec
    # `$resolution` is Logfire's own; declaring it freezes every chart.
    assert {variable["spec"]["name"] for variable in spec["variables"]} <= {"service", "tool"}
    assert all(panel["spec"]["display"]["description"] for panel in spec["panels"].values())
