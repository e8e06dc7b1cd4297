"""Every expression of dashboards and rules asks for series, labels and values that the contract has."""

from __future__ import annotations

import re

import pytest
import yaml

from tests.dashboards.contract import SERIES, TARGET
from tests.dashboards.expressions import PROMETHEUS, Expression, grouped_by, of_boards, of_rules, selectors

EXPRESSIONS = [*of_boards(), *of_rules()]
RECORDED = {
    rule["record"]
    for group in yaml.safe_load((PROMETHEUS / "counterfoil.rules.yml").read_text())["groups"]
    for rule in group["rules"]
    if "record" in rule
}


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_series_and_labels_are_those_of_the_contract(expression: Expression) -> None:
    known = set(TARGET)
    for selector in selectors(expression):
        if selector.name in RECORDED:
            continue
        assert selector.name in SERIES, "no such series"
        labels = SERIES[selector.name]
        known |= labels.keys()
        for label, operator, value in selector.matchers:
            assert label in labels.keys() | TARGET, f"{selector.name} has no label {label}"
            if value not in ("", ".*") and label in labels and labels[label]:
                assert set(value.split("|")) <= labels[label], f"{label}{operator}{value}: no such value"
    assert grouped_by(expression) <= known, "groups by a label that nothing in it has"


@pytest.mark.parametrize("expression", list(of_boards()), ids=str)
def test_a_dashboard_selects_by_job_everywhere(expression: Expression) -> None:
    if expression.place == "variable job":
        return
    for text in re.findall(r"counterfoil_\w+(\{[^}]*\})?(?=[\[\s,)}]|$)", expression.text):
        if text:
            assert 'job=~"$job"' in text, f"{text} shows other jobs too"


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_a_counter_is_never_shown_raw(expression: Expression) -> None:
    counters = re.findall(r"(\w+)\((?=counterfoil_\w+_total)", expression.filled())

    assert (
        set(counters) <= {"increase", "rate", "max_over_time", "last_over_time", "by"} or "variable" in expression.place
    )


ALERTS = [each for each in of_rules() if each.file == "counterfoil.rules.yml" and each.place not in RECORDED]


@pytest.mark.parametrize("alert", ALERTS, ids=str)
def test_an_alert_compares_or_tells_absence(alert: Expression) -> None:
    assert re.search(r"[<>]|absent\(|vector\(1\)", alert.text)


def test_a_name_that_the_contract_lacks_is_noticed() -> None:
    for wrong in (
        'sum by (job) (counterfoil_verdict_total{job="a"})',
        'sum by (job) (increase(counterfoil_verdicts_total{counterfoil_tool="a"}[5m]))',
        'sum by (job) (increase(counterfoil_verdicts_total{counterfoil_verdict=~"fine|dandy"}[5m]))',
        "sum by (counterfoil_transport) (increase(counterfoil_verdicts_total[5m]))",
    ):
        with pytest.raises(AssertionError):
            test_series_and_labels_are_those_of_the_contract(Expression("here", "wrong", wrong))
