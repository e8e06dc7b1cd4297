"""A small run of the proving ground: it finds nothing in the rules as they are, and finds a rule that was broken.

Real processes throughout. The agents of the run judge by the rules as they are; the audit, which the check runs in this
process, judges by the broken one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from counterfoil.evidence import NONE
from counterfoil.rules import CONVICTIONS
from counterfoil.verdicts import Outcome
from prove.check.checking import Checked, check
from prove.check.marks import Mark
from prove.check.said import AUDIT, LEDGER, LIVE
from prove.check.stories import story
from prove.generator import plans
from prove.plan import Plan
from prove.running import run

OPERATIONS = 200
COHORTS = ("whole", "shared")
"""Each cohort costs a process; the others are for `make prove`."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prove") / "run"
    run([one for one in plans(5, 2 * OPERATIONS) if _is_cheap(one)][:OPERATIONS], folder, seed=5)
    return folder


def _is_cheap(one: Plan) -> bool:
    return one.telemetry in COHORTS and one.framework == "pydantic" and one.kill == "none"


def _lies(checked: Sequence[Checked]) -> list[str]:
    return [story(one) for one in checked if one.is_lie]


def test_the_rules_as_they_are_tell_no_lie(recorded: Path) -> None:
    checked = check(recorded)
    assert _lies(checked) == []
    assert {one.said.by for one in checked} == {AUDIT, LIVE, LEDGER}
    found = {one.said.verdict for one in checked if one.marked.mark is Mark.TRUE}
    assert {"key_conflict", "duplicate_effect", "false_success", "unsafe_retry", "verified_applied"} <= found


def test_a_rule_that_is_broken_is_found(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CONVICTIONS, Outcome.DUPLICATE_EFFECT, lambda case: NONE)  # type: ignore[arg-type]
    misses = [one for one in check(recorded) if one.is_lie and one.said.by == AUDIT]
    assert {one.marked.mark for one in misses} == {Mark.FALSE_ACQUITTAL}
