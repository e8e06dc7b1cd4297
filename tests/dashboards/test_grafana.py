"""What every Grafana dashboard must have before a person sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from counterfoil.verdicts import WORST_FIRST
from dashboards.src.words import COLOURS, NO_TELEMETRY, UNADVISED
from tests.dashboards.contract import ATTRIBUTES, SERIES
from tests.dashboards.expressions import BOARDS, GRAFANA, board
from tests.dashboards.promtool import rules

CONTENTS = {path.stem: board(path) for path in BOARDS}
PANELS = [(name, panel) for name, content in CONTENTS.items() for panel in content["panels"]]
GREENS = {"green", "dark-green", "semi-dark-green", "light-green", "super-light-green"}
SOURCES = {"prometheus": "${datasource}", "tempo": "${tempo}"}

each_board = pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
each_panel = pytest.mark.parametrize(
    "panel", [panel for _, panel in PANELS], ids=[f"{n}: {p['title']}" for n, p in PANELS]
)


def overrides(panel: dict[str, Any], of: str) -> Iterator[tuple[str, Any]]:
    """Names and values of one property that overrides set."""
    for override in panel["fieldConfig"]["overrides"]:
        for each in override["properties"]:
            if each["id"] == of:
                yield override["matcher"]["options"], each["value"]


def test_there_are_the_three() -> None:
    assert set(CONTENTS) == {"counterfoil-overview", "counterfoil-operations", "counterfoil-health"}


@each_board
def test_a_board_is_one_that_files_can_provision(content: dict[str, Any]) -> None:
    assert content["schemaVersion"] == 42
    assert content["editable"] is False
    assert content["uid"].startswith("counterfoil-")
    assert content["description"]
    assert [panel["id"] for panel in content["panels"]] == list(range(1, len(content["panels"]) + 1))


@each_board
def test_a_board_leads_to_the_other_two_and_keeps_time_and_variables(content: dict[str, Any]) -> None:
    assert {link["url"] for link in content["links"]} == {f"/d/{uid}" for uid in CONTENTS if uid != content["uid"]}
    assert all(link["keepTime"] and link["includeVars"] for link in content["links"])


@each_board
def test_a_board_marks_severe_verdicts(content: dict[str, Any]) -> None:
    (annotation,) = content["annotations"]["list"]

    assert annotation["enable"]
    assert "duplicate_effect" in annotation["expr"]


@each_board
def test_variables_reload_explain_themselves_and_hide_nothing(content: dict[str, Any]) -> None:
    variables = {each["name"]: each for each in content["templating"]["list"]}

    assert {"datasource", "tempo", "job"} <= set(variables)
    assert all(each["description"] for each in variables.values())
    for each in variables.values():
        if each["type"] == "query":
            assert each["refresh"] == 2, "reloads when the time range changes"
            # `.+` would hide series that lack the label.
            assert (each["includeAll"], each["multi"], each["allValue"]) == (True, True, ".*")


@each_panel
def test_a_panel_explains_itself(panel: dict[str, Any]) -> None:
    assert panel["title"]
    assert len(panel["description"]) > 20
    assert panel["fieldConfig"]["defaults"]["unit"]
    assert panel["fieldConfig"]["defaults"]["noValue"]


@each_panel
def test_a_panel_names_no_data_source(panel: dict[str, Any]) -> None:
    for source in (panel["datasource"], *(target["datasource"] for target in panel["targets"])):
        assert source["uid"] == SOURCES[source["type"]]


@each_panel
def test_nothing_is_never_green(panel: dict[str, Any]) -> None:
    """Grafana paints a missing value in the colour of the first step."""
    steps = panel["fieldConfig"]["defaults"].get("thresholds", {}).get("steps", [])

    if steps:
        assert steps[0]["value"] is None
        assert steps[0]["color"] not in GREENS
    if panel["type"] == "stat":
        assert steps[0]["color"] == NO_TELEMETRY
        assert panel["fieldConfig"]["defaults"]["noValue"] == "no telemetry"
        # Over a range, the last value would go on being shown long after telemetry stopped.
        assert all(target["instant"] and not target["range"] for target in panel["targets"])


@each_panel
def test_a_verdict_has_its_colour_wherever_it_is_a_series(panel: dict[str, Any]) -> None:
    colours = dict(overrides(panel, "color"))
    of_verdicts = [
        target
        for target in panel["targets"]
        if "counterfoil_histories" not in target.get("expr", "")
        and target.get("legendFormat") in ("{{counterfoil_verdict}}", "{{counterfoil_finding}}")
    ]

    if of_verdicts and panel["type"] == "timeseries":
        assert {name: value["fixedColor"] for name, value in colours.items()} == {
            str(verdict): COLOURS[verdict] for verdict in WORST_FIRST
        } | ({"unadvised": UNADVISED} if "finding" in of_verdicts[0]["legendFormat"] else {})


def test_only_what_was_verified_is_green() -> None:
    assert {str(verdict) for verdict, colour in COLOURS.items() if colour in GREENS} == {"verified_applied"}
    assert len(set(COLOURS.values())) == len(COLOURS), "two verdicts look the same"
    assert {str(verdict) for verdict in COLOURS} == set(ATTRIBUTES["counterfoil.verdict"]["values"])


@each_panel
def test_no_series_gets_a_colour_by_chance(panel: dict[str, Any]) -> None:
    """Grafana's own palette begins with green, which would make the first kind of error look well."""
    if panel["type"] == "timeseries":
        mode = panel["fieldConfig"]["defaults"].get("color", {}).get("mode")
        target = panel["targets"][0]
        (series,) = re.findall(r"counterfoil_\w+(?=\{)", target["expr"])[:1]
        named = {name for name, _ in overrides(panel, "color")}
        fixed = {each["legendFormat"] for each in panel["targets"]} <= named
        names = SERIES[series].get(target["legendFormat"].strip("{}"), set())
        assert fixed or mode == "shades" or (names and names <= named)


@each_panel
def test_series_over_time_look_at_several_exports(panel: dict[str, Any]) -> None:
    for target in panel["targets"]:
        if target.get("range"):
            assert target["interval"] == "1m", "$__rate_interval would be shorter than two exports"


def test_the_numbers_behind_verdicts_lead_to_traces() -> None:
    wanted = [
        panel for _, panel in PANELS if panel["title"] in ("Verdicts", "Time to verdict", "Attempts by transport")
    ]

    assert len(wanted) == 4
    assert all(any(target.get("exemplar") for target in panel["targets"]) for panel in wanted)


def test_operations_lead_to_all_of_their_spans() -> None:
    lists = [panel for _, panel in PANELS if panel["datasource"]["type"] == "tempo"]

    assert len(lists) == 3
    for panel in lists:
        (link,) = dict(overrides(panel, "links"))["counterfoil.operation.id"]
        assert "${__value.raw:percentencode}" in link["url"]
        assert "span.counterfoil.operation.id" in link["url"]


def test_grafana_manages_the_same_alerts_as_prometheus() -> None:
    text = (GRAFANA / "provisioning" / "alerting" / "counterfoil.yaml").read_text()
    managed = {rule["title"]: rule for rule in yaml.safe_load(text)["groups"][0]["rules"]}
    alerts = {name: rule for name, rule in rules().items() if "alert" in rule}

    assert set(managed) == set(alerts)
    assert len({rule["uid"] for rule in managed.values()}) == len(managed)
    titles = {(name, panel["id"]) for name, panel in PANELS}
    for name, rule in managed.items():
        assert len(rule["uid"]) <= 40
        assert rule["noDataState"] == "OK"
        assert rule["labels"] == alerts[name]["labels"]
        assert rule["for"] == alerts[name].get("for", "0s")
        assert rule.get("keepFiringFor") == alerts[name].get("keep_firing_for")
        assert rule["annotations"]["runbook_url"] == alerts[name]["annotations"]["runbook_url"]
        assert "job:" not in rule["data"][0]["model"]["expr"], "Grafana records no series"
        if name != "CounterfoilWatchdog":
            shown = rule["annotations"]["__dashboardUid__"], int(rule["annotations"]["__panelId__"])
            assert shown in titles
        # Only annotations may hold a dollar: everything else is searched for variables of the environment.
        rest = {**rule, "annotations": None}
        assert yaml.safe_dump(rest).replace("${METRICS_UID}", "").count("$") == 0
