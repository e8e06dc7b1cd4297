"""What a seed makes: the same plans each time, and between them every fault that there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from prove import plan as prove_plan
from prove.generator import plan, plans
from prove.plan import CONTRACTS, KEY_TTL_S, Plan
from prove.report import unmet
from prove.tally import Tally
from prove.world.contracts import Answer, Known, answer, name_space


def test_the_same_seed_makes_the_same_plans_and_another_one_others() -> None:
    assert plans(7, 200) == plans(7, 200)
    assert plans(7, 200) != plans(8, 200)


def test_a_plan_doesnt_depend_on_what_is_made_beside_it() -> None:
    assert plans(7, 200)[150] == plan(7, 150) == plans(7, 151)[150]


def test_plans_come_back_from_a_file_as_they_were(tmp_path: Path) -> None:
    prove_plan.written(plans(7, 50), tmp_path / "plans.jsonl")
    assert prove_plan.read(tmp_path / "plans.jsonl") == plans(7, 50)


def test_every_kind_of_fault_is_planned_in_a_run_of_the_usual_size() -> None:
    tally = Tally()
    tally.add([one for seed in range(1, 31) for one in plans(seed, 667)], [])
    assert unmet(tally) == []


def test_no_two_operations_have_one_name() -> None:
    names = [name for seed in (1, 2) for one in plans(seed, 500) for name in one.operations]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("contract", "same", "other", "late"),
    [
        ("honoured", Answer.REPLAY, Answer.REPLAY, Answer.REPLAY),
        ("compared", Answer.REPLAY, Answer.REFUSE, Answer.REPLAY),
        ("ignored", Answer.MAKE, Answer.MAKE, Answer.MAKE),
        ("expiring", Answer.REPLAY, Answer.REPLAY, Answer.MAKE),
        ("scoped", Answer.REPLAY, Answer.REPLAY, Answer.REPLAY),
    ],
)
def test_what_a_contract_does_with_a_key_that_it_knows(
    contract: str, same: Answer, other: Answer, late: Answer
) -> None:
    known = Known("a", "pay_1", 100.0)
    assert answer(contract, known, "a", 100.1) is same
    assert answer(contract, known, "b", 100.1) is other
    assert answer(contract, known, "a", 100.1 + 2 * KEY_TTL_S) is late
    assert answer(contract, None, "a", 100.1) is Answer.MAKE


def test_only_a_scoped_key_is_unknown_in_another_account() -> None:
    apart = [contract for contract in CONTRACTS if name_space(contract, "a") != name_space(contract, "b")]
    assert apart == ["scoped"]


def test_a_plain_plan_says_that_it_has_no_fault() -> None:
    assert Plan(seed=1, number=1).faults == ("none",)
