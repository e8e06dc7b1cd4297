"""Every expression of dashboards and rules returns data on a real Prometheus after a bad day, or says why not."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.dashboards.expressions import BOARDS, Expression, board, of_boards, of_rules
from tests.dashboards.promtool import RULES, rules
from tests.dashboards.real.day import Day
from tests.real.prometheus import loaded, until
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
    """At the end of the day, with what is recorded written out: Prometheus began to record only after it."""
    recorded = {name: rule["expr"] for name, rule in rules().items() if "record" in rule}
    wanted = {each.place: each.filled() for each in of_rules() if each.file == RULES.name}
    for name, expression in recorded.items():
        wanted = {place: text.replace(name, f"({expression})") for place, text in wanted.items()}

    silent = {f"{RULES.name}: {place}" for place, text in wanted.items() if not day.ask(text, at_the_end=True)}

    assert silent == {place for place in SILENT if place.startswith(RULES.name)}


def test_prometheus_evaluates_every_rule_without_a_fault(day: Day) -> None:
    def evaluated() -> set[str]:
        return {rule["name"] for rule in loaded(day.address) if rule["health"] == "ok"}

    until(lambda: evaluated() == set(rules()), "every rule evaluated")


def test_the_rules_that_grafana_sloth_and_pyrra_get_return_the_same(day: Day) -> None:
    others = [each for each in of_rules() if each.file != RULES.name]

    found = answers(day, others)

    assert {place for place, data in found.items() if not data} == {place for place in SILENT if "alerting/" in place}


def test_a_silent_job_without_incidents_is_not_shown_as_zero(day: Day) -> None:
    (shown,) = (each for each in of_boards() if each.place == "Open incidents/A")

    assert day.ask(shown.filled().replace('job=~".*"', f'job=~"{GONE}"'), at_the_end=True) == []
    assert day.ask(shown.filled(), at_the_end=True)
