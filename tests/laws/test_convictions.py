"""A conviction asks only what is there: losing evidence can hide one, and never makes one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.evidence import fold
from counterfoil.facts import Attempt, Gap, Intent
from counterfoil.findings import FINDINGS
from counterfoil.holdings import named, own_name, shown_by, sightings
from counterfoil.judge import judge_all
from counterfoil.operations import operation_from
from counterfoil.rules import CONVICTIONS, READINGS, may_take_back
from counterfoil.verdicts import Outcome
from tests.strategies import WORLDS, accusations, claimed, convictions, gaps, telemetry, unread


@pytest.mark.parametrize("world", WORLDS)
@given(st.data())
def test_no_later_fact_takes_a_conviction_back(world, data):
    """Whichever fact comes last: who was convicted before stays so, but for the few facts that say what others mean."""
    sent = data.draw(WORLDS[world])
    for last, fact in enumerate(sent):
        seen = fold(sent[:last] + sent[last + 1 :])
        freed = convictions(seen) - convictions(fold(sent))
        assert not freed or may_take_back(fact, seen)


@given(accusations | telemetry)
def test_losing_attempts_and_effects_never_makes_a_conviction(sent):
    """Where every attempt has a name of its own, no reference is shown by two operations, and no reversal is seen as
    something else as well, none of either is needed to keep somebody from being convicted, and so any may be lost."""
    operations = [operation_from(name, facts) for name, facts in fold(sent).operations.items()]
    shown = [
        ref
        for operation in operations
        for ref in {ref for _, _, look in sightings((operation,)) for ref in shown_by(look)}
    ]
    looks = [look for operation in operations for look in operation.looks]
    undoing = {own_name(look) for look in looks if look.compensates is not None}
    plain = (
        len(shown) == len(set(shown))
        and all(len(dispatch.views) == 1 for operation in operations for dispatch in operation.dispatches)
        and undoing.isdisjoint(ref for look in looks if (ref := named(look)) is not None)
    )
    if plain and not any(isinstance(fact, Attempt) and (fact.replay or fact.id_source) for fact in sent):
        for lost, fact in enumerate(sent):
            if not isinstance(fact, Intent | Gap) and fact.expected_count is None:
                assert convictions(fold(sent[:lost] + sent[lost + 1 :])) <= convictions(fold(sent))


hearsay = st.lists(claimed.filter(lambda claim: claim.expected_count is None) | unread | gaps, min_size=1, max_size=2)


@given(accusations | telemetry, hearsay)
def test_hearsay_never_convicts_or_frees(sent, told):
    """Claims, lines that could not be read and known gaps are beside the point of a conviction."""
    assert convictions(fold(sent + told)) == convictions(fold(sent))


@given(accusations | telemetry)
def test_a_conviction_of_effects_is_worse_than_any_reading_of_them(sent):
    for judgement in judge_all(fold(sent)).values():
        assert (judgement.outcome is Outcome.DUPLICATE_EFFECT) == (Outcome.DUPLICATE_EFFECT in judgement.borne_out)


def test_convictions_and_readings_are_two_tables():
    tables = (CONVICTIONS, READINGS, FINDINGS)
    rules = [rule for table in tables for rule in table.values()]
    assert len({*CONVICTIONS, *READINGS, *FINDINGS}) == len(rules) == len(set(rules))
