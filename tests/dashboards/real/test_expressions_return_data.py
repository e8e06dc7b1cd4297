"""Every expression of dashboards and rules returns data on a real Prometheus after a bad day, or says why not."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.dashboards.expressions import BOARDS, Expression, board, of_boards, of_rules
from tests.dashboards.promtool import RULES, rules
from tests.dashboards.real.day import Day
from tests.real.prometheus import query, until
from tools.panels.history import GONE

pytestmark = pytest.mark.real

SILENT: dict[str, str] = yaml.safe_load(Path(__file__).with_name("silent.yaml").read_text())
INSTANT = {
    f"{path.name}: {panel['title']}/{target['refId']}"
    for path in BOARDS
    for panel in board(path)["panels"]
    for target in panel["targets"]
    if target.get("instant")
}


def answers(day: Day, expressions: list[Expression]) -> dict[str, bool]:
    """For each expression whether it returned anything that is a number."""
    found = {}
    for each in expressions:
        at_the_end = str(each) in INSTANT or each.file.startswith("alerting")
        series = day.ask(each.filled(), at_the_end=at_the_end)
        points = [point for one in series for point in one.get("values", [one.get("value")])]
        found[str(each)] = any(value != "NaN" for _, value in points)
    return found


def test_every_panel_variable_and_annotation_has_something_to_show(day: Day) -> None:
    found = answers(day, list(of_boards()))

    assert {place for place, data in found.items() if not data} == {place for place in SILENT if ".json" in place}


def test_every_rule_that_prometheus_evaluates_comes_out(day: Day) -> None:
    """By the series that the rules themselves leave: what is recorded, and alerts that wait or fire.

    Prometheus evaluates them now, and the day is over: on a slow machine a rule that looks back a few minutes may come
    too late for it, and is asked at the end of the day instead.
    """
    wanted = {name for name in rules() if f"{RULES.name}: {name}" not in SILENT}
    text = {each.place: each.filled() for each in of_rules() if each.file == RULES.name}

    def missing() -> set[str]:
        alerts = {sample["metric"]["alertname"] for sample in query(day.address, "count by (alertname) (ALERTS)")}
        recorded = {sample["metric"]["__name__"] for sample in query(day.address, '{__name__=~"job:.+"}')}
        late = wanted - alerts - recorded
        return {name for name in late if not day.ask(text[name], at_the_end=True)}

    until(lambda: not missing(), "every rule")
    assert not query(day.address, 'ALERTS{alertname="CounterfoilTelemetryNeverSeen"}')


def test_the_rules_that_grafana_sloth_and_pyrra_get_return_the_same(day: Day) -> None:
    others = [each for each in of_rules() if each.file != RULES.name]

    found = answers(day, others)

    assert {place for place, data in found.items() if not data} == {place for place in SILENT if "alerting/" in place}


def test_a_silent_job_without_incidents_is_not_shown_as_zero(day: Day) -> None:
    (shown,) = (each for each in of_boards() if each.place == "Open incidents/A")

    assert day.ask(shown.filled().replace('job=~".*"', f'job=~"{GONE}"'), at_the_end=True) == []
    assert day.ask(shown.filled(), at_the_end=True)
