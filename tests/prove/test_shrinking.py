"""A miss is shrunk to what it needs, whoever carries plans out."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from prove.check.shrinking import shrunk, size, smaller
from prove.generator import plan
from prove.plan import Plan

PLANS = st.builds(plan, st.integers(1, 50), st.integers(0, 5_000))


@settings(deadline=None)
@given(PLANS)
def test_each_candidate_is_smaller_and_there_is_none_of_a_plain_plan(one: Plan) -> None:
    assert all(size(candidate) < size(one) for candidate in smaller(one))
    assert bool(smaller(one)) == (size(one) > 0)


@settings(deadline=None)
@given(PLANS)
def test_what_a_miss_needs_is_kept_and_all_else_goes(one: Plan) -> None:
    def fails(candidates: Sequence[Plan]) -> list[bool]:
        return [candidate.habit == one.habit and candidate.wire == one.wire for candidate in candidates]

    least = shrunk(one, fails)
    assert least is not None
    assert (least.habit, least.wire) == (one.habit, one.wire)
    assert size(least) == (one.habit != "honest") + sum(fault != "ok" for fault in one.wire)


def test_what_goes_wrong_no_more_has_no_smallest() -> None:
    assert shrunk(plan(1, 1), lambda candidates: [False for _ in candidates]) is None
