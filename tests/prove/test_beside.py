"""Others beside us: what each makes of the same small run, how that is counted, and what a page says of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

import pytest

from prove.beside import effect_executor, once_guard, ours, step_ledger
from prove.beside.__main__ import recorded, told
from prove.beside.answers import Answer, Contender
from prove.beside.in_path import fitting
from prove.beside.ours import Words
from prove.beside.page import page, share
from prove.beside.scores import EVERY, Question, Scores
from prove.check.truth import Truth
from prove.plan import Plan
from prove.report import BEGIN, END, placed
from prove.running import run

PLAIN = Plan(seed=0, number=0)
PLANS = (
    dataclasses.replace(PLAIN, number=1),
    dataclasses.replace(PLAIN, number=2, habit="blind_retry", contract="ignored", wire=("error_after", "ok")),
    dataclasses.replace(PLAIN, number=3, habit="claimed"),
    dataclasses.replace(PLAIN, number=4, contract="honoured", wire=("error_before", "ok")),
    dataclasses.replace(PLAIN, number=5, habit="twins", contract="ignored"),
)
ONE, CHARGED_TWICE, CLAIMED, REPAIRED, TWINS = (plan.name for plan in PLANS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("beside") / "run"
    run(PLANS, made, 0)
    return made


def _answers(folder: Path) -> Mapping[str, Mapping[str, Answer]]:
    return {one.name: one.answers(folder) for one in recorded().contenders}


def test_each_answers_as_its_rule_says(folder: Path) -> None:
    said = _answers(folder)

    assert {name: said["span errors"][name] for name in (ONE, CHARGED_TWICE, REPAIRED)} == {
        ONE: Answer.UNKNOWN,
        CHARGED_TWICE: Answer.AMISS,
        REPAIRED: Answer.AMISS,  # an error there was, and a retry that was right
    }
    assert {name: said["attempts"][name] for name in (ONE, CHARGED_TWICE, CLAIMED, REPAIRED)} == {
        ONE: Answer.ONCE,
        CHARGED_TWICE: Answer.TWICE,
        CLAIMED: Answer.NOT,
        REPAIRED: Answer.TWICE,
    }
    assert {name: said["references"][name] for name in (ONE, CHARGED_TWICE, CLAIMED, REPAIRED, TWINS)} == {
        ONE: Answer.ONCE,
        CHARGED_TWICE: Answer.ONCE,  # the first one's answer was lost, and its reference with it
        CLAIMED: Answer.UNKNOWN,
        REPAIRED: Answer.ONCE,
        TWINS: Answer.TWICE,
    }
    assert said["ghostspan"][ONE] is Answer.UNKNOWN
    assert said["counterfoil"][ONE] is Answer.ONCE
    assert said["counterfoil"][TWINS] is Answer.TWICE


def test_guards_in_the_path_send_twins_once_and_a_ledger_of_steps_sees_both(tmp_path: Path) -> None:
    for module in (once_guard, effect_executor, step_ledger):
        own = tmp_path / module.CONTENDER.name
        run([PLANS[0], PLANS[4]], own, 0, module.__name__)
        scores = Scores((module.CONTENDER,))
        scores.add(own)
        guarded = module is not step_ledger
        assert module.CONTENDER.answers(own) == {ONE: Answer.ONCE, TWINS: Answer.ONCE if guarded else Answer.TWICE}
        assert scores.score(module.CONTENDER.name, EVERY, Question.TWICE).true == (0 if guarded else 1)


def test_what_makes_a_ticket_is_a_call_for_somebody() -> None:
    assert ours.answer(Words("a", "unsafe_retry", "verified_applied", None)) is Answer.AMISS
    assert ours.answer(Words("a", "key_conflict", "duplicate_effect", None)) is Answer.TWICE
    assert ours.answer(Words("a", "false_success", "false_success", None)) is Answer.NOT
    assert ours.answer(Words("a", "indeterminate", "indeterminate", "ambiguous")) is Answer.AMISS
    assert ours.answer(Words("a", "indeterminate", "indeterminate", "unverified")) is Answer.UNKNOWN


def _scores(**answers: Mapping[str, Answer]) -> Scores:
    made = Scores([Contender(name, None, "set up", "strong", "weak", lambda _: {}) for name in answers])
    world = {ONE: Truth(held=["a"]), CHARGED_TWICE: Truth(held=["b", "c"]), CLAIMED: Truth()}
    for name, said in answers.items():
        made.count(name, PLANS[:3], said, world)
    return made


def test_precision_and_recall_are_counted_against_what_is_held() -> None:
    eager = {ONE: Answer.TWICE, CHARGED_TWICE: Answer.TWICE}
    scores = _scores(eager=eager, counterfoil={CHARGED_TWICE: Answer.TWICE})

    assert (
        scores.score("eager", EVERY, Question.TWICE).precision,
        scores.score("eager", EVERY, Question.TWICE).recall,
    ) == (
        0.5,
        1,
    )
    assert scores.score("counterfoil", "habit: blind_retry", Question.TWICE).recall == 1
    assert scores.score("counterfoil", EVERY, Question.WRONG).recall == 0.5
    assert scores.score("counterfoil", EVERY, Question.NOT).precision is None


def test_a_share_is_never_rounded_up_to_all() -> None:
    assert [share(part) for part in (None, 1.0, 0.9999, 0.0001, 0.0, 0.5)] == ["–", "100", "99.9", "0.1", "0", "50"]


def test_a_page_says_who_was_set_up_how_and_keeps_what_else_is_on_it() -> None:
    text = page(_scores(eager={ONE: Answer.TWICE}, counterfoil={ONE: Answer.ONCE}), [], [("a picture", "p.png")])
    assert "| eager | a rule, no package | set up |" in text
    assert "- **eager**. strong weak" in text
    assert "in the path" not in text
    beside = page(_scores(eager={}, counterfoil={}), [_scores(guard={ONE: Answer.AMISS})], [])
    assert "| fault | operations | guard |" in beside
    assert "| habit: blind_retry | 1 | – / 0 |" in beside
    assert "![a picture](p.png)" in text


def test_both_parts_have_their_own_place_on_the_page(folder: Path, tmp_path: Path) -> None:
    report = tmp_path / "proof.md"
    report.write_text(f"# Proof\n\n{BEGIN}\nverdicts\n{END}\n", encoding="utf-8")
    scores = recorded()
    scores.add(folder)
    for _ in range(2):
        told(scores, tmp_path / "in-path", 1, 0, report)
    made = report.read_text(encoding="utf-8")
    assert made.count("## Beside the others") == 1
    assert f"{BEGIN}\nverdicts\n{END}" in made
    assert "ghostspan" in placed(made, f"{BEGIN}\nnew\n{END}")
    assert (tmp_path / "pictures" / "proof.png").stat().st_size > 0


def test_plans_for_a_run_in_the_path_are_the_same_seeded_ones_of_one_framework() -> None:
    found = fitting(1, 400)
    assert len(found) == 400
    assert {one.framework for one in found} == {"pydantic"}
    assert any(one.kill != "none" for one in found)
    assert found == fitting(1, 400)
