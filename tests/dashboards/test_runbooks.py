"""Every alert leads to a page that says what to look at, what to do, and never to retry."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dashboards.src.logfire.alerts import ALERTS
from dashboards.src.policy import MINIMUM_OPERATIONS, OBJECTIVE
from tests.dashboards.contract import ROOT
from tests.dashboards.promtool import rules

RUNBOOKS = ROOT / "dashboards" / "runbooks"
PAGED = {name: rule for name, rule in rules().items() if "alert" in rule}
PAGES = sorted(path for path in RUNBOOKS.glob("*.md") if path.stem != "README")


def test_every_alert_has_a_page_and_every_page_an_alert() -> None:
    assert {path.stem for path in PAGES} == set(PAGED)


@pytest.mark.parametrize("alert", PAGED)
def test_the_address_of_a_page_is_relative_and_leads_there(alert: str) -> None:
    assert PAGED[alert]["annotations"]["runbook_url"] == f"runbooks/{alert}.md"
    assert (ROOT / "dashboards" / "runbooks" / f"{alert}.md").is_file()


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert.name)
def test_logfires_alerts_lead_to_the_same_pages(alert) -> None:
    assert (RUNBOOKS / f"{alert.runbook}.md").is_file()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_says_what_a_person_needs(page: Path) -> None:
    text = page.read_text(encoding="utf-8")

    assert text.startswith(f"# {page.stem}\n")
    assert f"Severity {PAGED[page.stem]['labels']['severity']}." in text
    assert re.findall(r"^## (\w+(?: not)?)", text, re.MULTILINE) == ["Look", "Do", "Do not"]
    assert re.search(r"^- (?:Never [^\n]*(?:retry|again))|^- Never run", text.split("## Do not")[1], re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_numbers_on_the_pages_are_those_of_the_rules() -> None:
    fast = (RUNBOOKS / "CounterfoilBudgetBurnFast.md").read_text(encoding="utf-8")

    assert f"{OBJECTIVE * 100:g} %" in fast
    assert f"Below {MINIMUM_OPERATIONS} decided operations" in fast
