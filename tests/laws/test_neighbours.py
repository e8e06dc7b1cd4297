"""An operation is judged by its own facts and by what it shares: a key, a reference, a business intent."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from counterfoil.across import around, key_uses
from counterfoil.evidence import fold
from counterfoil.explain import as_record
from counterfoil.facts import Gap
from counterfoil.holdings import shown_by, sightings
from counterfoil.judge import judge
from counterfoil.operations import operation_from
from tests.strategies import held, meant, rivals, sent

OPERATIONS = st.sampled_from(("op-1", "op-2", "op-3", "op-4"))
crowds = st.lists(st.tuples(OPERATIONS, st.one_of(sent, rivals, held, held, meant, meant)), max_size=10)


def shares(operation):
    """All by which another operation can matter to this one."""
    keys = {("key", name) for name, _ in key_uses(operation)}
    refs = {("reference", ref) for _, _, look in sightings((operation,)) for ref in shown_by(look)}
    return keys | refs | {("intent", ref) for ref in operation.intent_refs}


def near(operation, everybody):
    """The operations that it shares something with, itself among them."""
    return [other for other in everybody if other is operation or shares(other) & shares(operation)]


@given(crowds)
def test_a_judgement_depends_on_the_neighbourhood_alone(crowd):
    """Neighbours, and theirs: to whom a neighbour's effect belongs may lie with somebody whom only it knows."""
    folded = fold(fact if isinstance(fact, Gap) else replace(fact, operation_id=name) for name, fact in crowd)
    everybody = [operation_from(name, known) for name, known in folded.operations.items()]
    whole = around(everybody, folded.gaps)
    for operation in everybody:
        reach = {o.operation_id: o for other in near(operation, everybody) for o in near(other, everybody)}
        there = around(reach.values(), folded.gaps)
        assert as_record(judge(operation, there)) == as_record(judge(operation, whole))


@given(crowds)
def test_an_operation_that_shares_nothing_is_judged_alone(crowd):
    folded = fold(fact if isinstance(fact, Gap) else replace(fact, operation_id=name) for name, fact in crowd)
    everybody = [operation_from(name, known) for name, known in folded.operations.items()]
    whole = around(everybody, folded.gaps)
    for operation in everybody:
        if near(operation, everybody) == [operation]:
            assert as_record(judge(operation, around((operation,), folded.gaps))) == as_record(judge(operation, whole))
