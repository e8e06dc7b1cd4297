"""A conviction comes with the facts that bear it out: enough of them, and none of them idle."""

from collections.abc import Callable, Collection, Iterable
from functools import partial
from itertools import combinations

from hypothesis import given

from counterfoil.across import around
from counterfoil.evidence import Evidence, fold
from counterfoil.facts import Claim, Fact, Intent, Reported
from counterfoil.judge import Judgement, judge_all
from counterfoil.operations import operation_from
from counterfoil.verdicts import Verdict
from tests.strategies import accusations, convicted, convictions, ledgers, telemetry


@given(ledgers)
def test_every_verdict_has_witnesses_and_they_are_facts(folded):
    known = {fact for facts in folded.operations.values() for fact in facts}
    for judgement in judge_all(folded).values():
        for said in (judgement.outcome, *judgement.findings, judgement.verdict):
            assert judgement.borne_out[said]
            assert set(judgement.borne_out[said]) <= known


@given(accusations | telemetry)
def test_the_witness_alone_convicts(sent):
    """Given to somebody who knows nothing else, the witnesses lead to the same conviction of the same operation,
    whatever operations they are from, and also where it is remembered how much was promised."""
    judgements = judge_all(fold(sent))
    for name, judgement in judgements.items():
        for verdict in convicted(judgement):
            witness = judgement.borne_out[verdict]
            assert (name, verdict) in convictions(fold(witness))
            assert (name, verdict) in convictions(fold([*witness, *promised(judgements.values())]))


@given(accusations)
def test_the_witness_holds_nothing_idle(sent):
    """Every attempt (in all its views) and every effect is in a smallest set that convicts, given what was meant."""
    judgements = judge_all(fold(sent))
    for name, judgement in judgements.items():
        for verdict in convicted(judgement):
            witness = judgement.borne_out[verdict]
            given_anyway = [*promised(judgements.values()), *(fact for fact in witness if isinstance(fact, Intent))]
            rest = [fact for fact in witness if not isinstance(fact, Intent)]
            parts = {whole(fact, judgements[fact.operation_id]) for fact in rest}
            assert parts == needed(parts, partial(convicts, (name, verdict), given_anyway))


@given(accusations)
def test_no_intent_in_the_witness_is_idle(sent):
    """Without any one of them nobody is convicted, given how much was promised, or of another key."""
    judgements = judge_all(fold(sent))
    for name, judgement in judgements.items():
        for verdict in convicted(judgement):
            witness = Evidence(judgement.borne_out[verdict])
            for intent in witness:
                rest = [*(witness - {intent}), *promised(judgements.values())]
                if isinstance(intent, Intent) and (name, verdict) in convictions(fold(rest)):
                    assert keys_in_conflict(rest) != keys_in_conflict(witness)


def promised(judgements: Iterable[Judgement]) -> list[Fact]:
    """How many effects each operation should have; nothing else."""
    return [
        Claim(
            operation_id=judgement.operation.operation_id,
            observed_at=0,
            reported=Reported.ABSENT,
            expected_count=judgement.operation.expected_count,
        )
        for judgement in judgements
    ]


def whole(fact: Fact, judgement: Judgement) -> Evidence:
    """All views of an attempt; every other fact is alone."""
    attempts = (dispatch.witness for dispatch in judgement.operation.dispatches)
    return next((views for views in attempts if fact in views), Evidence({fact}))


def convicts(charge: tuple[str, Verdict], given_anyway: Iterable[Fact], few: Evidence) -> bool:
    return charge in convictions(fold([*few, *given_anyway]))


def needed(parts: Collection[Evidence], enough: Callable[[Evidence], bool]) -> set[Evidence]:
    """The parts that are in at least one set which is enough, but no longer is when any one part is taken out."""
    found: list[set[Evidence]] = []
    for size in range(1, len(parts) + 1):
        for chosen in map(set, combinations(parts, size)):
            if not any(smaller <= chosen for smaller in found) and enough(Evidence().union(*chosen)):
                found.append(chosen)
    return set().union(*found)


def keys_in_conflict(facts: Iterable[Fact]) -> set[object]:
    return set(around(operation_from(name, known) for name, known in fold(facts).operations.items()).conflicts)
