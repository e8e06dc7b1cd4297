"""What a seed makes: the same plans each time, and between them every fault that there is."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from prove import plan as prove_plan
from prove.check.marks import Mark
from prove.check.said import AUDIT
from prove.check.truth import Sent, Truth
from prove.generator import plan, plans
from prove.plan import CONTRACTS, KEY_TTL_S, Plan
from prove.report import ENOUGH, VERDICTS, unmet
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


def tallied(some: Iterable[Plan]) -> Tally:
    """As if all had been met that was planned."""
    tally, known = Tally(), list(some)
    sent = {name: Truth(sent=[_sent(fault) for fault in one.wire]) for one in known for name in one.operations}
    tally.add(known, [], sent)
    tally.verdicts.update((AUDIT, verdict, Mark.TRUE) for verdict in VERDICTS)
    return tally


def _sent(fault: str) -> Sent:
    return Sent("", "honoured", "", None, "", fault)


@pytest.mark.parametrize(("first", "seeds", "each"), [(1, 30, 667), (2, 30, 167), (2, 2, 2_500), (3, 1, 5_000)])
def test_every_kind_of_fault_is_planned_in_a_run_that_is_large_enough(first: int, seeds: int, each: int) -> None:
    assert unmet(tallied(one for seed in range(first, first + seeds) for one in plans(seed, each))) == []


def test_a_kind_of_fault_that_never_occurred_is_told_of_a_run_that_is_large_enough() -> None:
    kind = [one for one in plans(1, ENOUGH) if one.telemetry != "gap" and "resend" not in one.wire]
    tally = tallied(kind)
    assert unmet(tally) == []  # with so few, nobody can say that it had to occur
    tally.operations = ENOUGH
    assert unmet(tally) == ["wire: resend", "telemetry: gap"]
    tally.verdicts.clear()
    assert "the verdict outcome_mismatch" in unmet(tally)


def test_a_fault_of_the_wire_is_met_only_by_what_was_sent() -> None:
    one = Plan(seed=1, number=1, wire=("cut_after", "slow"), telemetry="gap")
    assert one.met(["cut_after"]) == ("wire: cut_after", "telemetry: gap")
    assert Plan(seed=1, number=1, wire=("slow",)).met([]) == ("none",)


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
