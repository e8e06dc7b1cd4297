"""`counterfoil prune`: what it forgets and keeps, and why, on every ledger that outlives a process."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner, Result

from counterfoil.cli.frame import app
from counterfoil.ledger import open_ledger
from counterfoil.ledger.judging import SECOND, Timing, judge_due
from counterfoil.testing import story
from tests.ledger.conftest import durable_url
from tests.ledger.postgres import postgres

__all__ = ["durable_url", "postgres"]

JUDGED_AT = 1_000
OLD = "1970-01-02"
FACTS = """
    intent pay op=settled at=1; receipt pay_1 op=settled at=2
    intent pay op=twice at=1; receipt pay_2 op=twice at=2; receipt pay_3 op=twice at=3
    intent pay op=lost at=1; attempt timeout op=lost at=2
    intent pay op=shares payload=A at=1; receipt pay_4 op=shares payload=A at=2
    attempt success op=claims at=5; receipt pay_4 op=claims replayed=true at=9
"""


@pytest.fixture
def url(durable_url: str) -> str:
    """A ledger in which one operation is done with, and every other is open or holds one up that is."""
    ledger = open_ledger(durable_url)
    ledger.add(story(FACTS), due=0)
    judge_due(ledger, lambda told: None, now=JUDGED_AT * SECOND, timing=lambda tool: Timing(0, 0))
    ledger.close()
    return durable_url


def prune(url: str, *words: str) -> Result:
    return CliRunner().invoke(app, ["prune", "--ledger", url, *words])


def names_in(url: str) -> list[str]:
    ledger = open_ledger(url)
    found = list(ledger.operations())
    ledger.close()
    return found


def test_what_is_settled_and_old_is_forgotten_and_nothing_that_anybody_waits_for(url: str) -> None:
    done = prune(url, "--before", OLD, "--json")
    assert json.loads(done.stdout) == {
        "before": "1970-01-02T00:00:00Z",
        "dry_run": False,
        "forgotten": 1,
        "kept": {"open": 3, "newer": 0, "related": 1, "crowded": 0},
    }
    assert names_in(url) == ["claims", "lost", "shares", "twice"]


def test_a_dry_run_says_the_same_and_forgets_nothing(url: str) -> None:
    before = names_in(url)
    assert prune(url, "--before", OLD, "--dry-run").stdout.splitlines() == [
        "1 operation would be forgotten: settled before 1970-01-02T00:00:00Z",
        "3 kept, open: in doubt, an incident, or nothing was told yet",
        "1 kept, settled before, but related to one of these",
    ]
    assert names_in(url) == before


def test_what_was_told_since_then_is_kept(url: str) -> None:
    done = prune(url, "--settled-before", "1970-01-01T00:00:01Z", "--json")
    assert json.loads(done.stdout)["kept"] == {"open": 3, "newer": 2, "related": 0, "crowded": 0}


def test_an_age_counts_back_from_now(url: str) -> None:
    assert json.loads(prune(url, "--before", "30d", "--json").stdout)["forgotten"] == 1


@pytest.mark.parametrize("said", ["30", "soon", "", "2030-13-01", "-1d"])
def test_an_age_without_a_unit_and_what_is_no_time_are_refused(url: str, said: str) -> None:
    before = names_in(url)
    assert prune(url, f"--before={said}").exit_code == 2
    assert names_in(url) == before
