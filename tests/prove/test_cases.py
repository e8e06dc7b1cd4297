"""What was a lie once, and is none any more: each case under `cases/` is carried out again, by real processes.

And how a case gets there: a rule is broken, in this process only, the miss is shrunk, told and kept, and found again.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from counterfoil.evidence import NONE
from counterfoil.rules import CONVICTIONS
from counterfoil.verdicts import Outcome
from prove.__main__ import explained
from prove.cases import read_cases
from prove.check.checking import Checked, check
from prove.check.marks import Mark
from prove.check.said import AUDIT
from prove.check.stories import story
from prove.plan import Plan
from prove.running import run

CASES = sorted((Path(__file__).parent / "cases").glob("*.json"))

ODD = Plan(seed=9, number=4, habit="twins", contract="ignored", wire=("ok", "slow"))
"""Two calls at once, and both are carried out; that one of them is slow is beside the point."""


def _ran(plans: list[Plan], folder: Path) -> Path:
    run(plans, folder, seed=0)
    return folder


def _lies(folder: Path) -> list[Checked]:
    return [one for one in check(folder) if one.is_lie]


def test_what_was_a_lie_once_is_none_any_more(tmp_path: Path) -> None:
    assert CASES
    assert [story(one) for one in _lies(_ran(read_cases(CASES), tmp_path / "again"))] == []


def test_a_miss_is_shrunk_told_in_sentences_kept_and_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as broken:
        broken.setitem(CONVICTIONS, Outcome.DUPLICATE_EFFECT, lambda case: NONE)  # type: ignore[arg-type]
        first = [one for one in _lies(_ran([ODD], tmp_path / "first")) if one.said.by == AUDIT]
        explained(first, tmp_path, shrunk=1)
        [kept] = (tmp_path / "cases").iterdir()
        [least] = read_cases([kept])
        found = _lies(_ran([least], tmp_path / "again"))

    assert kept.name == "false-acquittal-audit-indeterminate.json"
    assert least == replace(ODD, number=0, wire=("ok", "ok"))
    told = capsys.readouterr().out
    assert "The smallest reproduction found" in told
    assert "false acquittal: 2 held, 2 shown, and not called a duplicate." in told
    assert "Planned: seed 9, number 0: contract=ignored, habit=twins" in told
    assert "On the wire: ok under key-9-0 (2 times)." in told
    assert "Said by the audit: indeterminate. Nobody knows whether make_payments took effect" in told
    assert {one.marked.mark for one in found if one.said.by == AUDIT} == {Mark.FALSE_ACQUITTAL}
    assert _lies(tmp_path / "again") == []  # the rule as it is finds it


def test_cases_share_a_world_under_numbers_of_their_own() -> None:
    assert [one.number for one in read_cases([CASES[0], *CASES])] == list(range(1 + len(CASES)))
