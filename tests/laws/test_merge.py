"""Order, repetition and partition of telemetry change nothing of what leaves the process."""

from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from counterfoil.evidence import Folded, fold, merge
from tests.strategies import accusations, facts_of, ledgers, telemetry, told

NOTHING = Folded()


@given(telemetry, st.data())
def test_order_and_repetition_do_not_matter(sent, data):
    """Exporters resend, webhooks come late, a forked worker ends a span twice."""
    again = data.draw(st.lists(st.sampled_from(sent), max_size=4)) if sent else []
    assert told(fold(data.draw(st.permutations(sent + again)))) == told(fold(sent))


@given(accusations, st.data())
def test_order_and_repetition_do_not_matter_to_a_conviction(sent, data):
    assert told(fold(data.draw(st.permutations(sent)) + sent[:1])) == told(fold(sent))


@given(st.lists(telemetry, min_size=1, max_size=4), st.data())
def test_partition_does_not_matter(parts, data):
    """Parts are folded on different hosts and merged in any tree."""
    folded = [fold(part) for part in parts]
    while len(folded) > 1:
        one = folded.pop(data.draw(st.integers(0, len(folded) - 1)))
        other = folded.pop(data.draw(st.integers(0, len(folded) - 1)))
        folded.append(merge(one, other))
    assert told(folded[0]) == told(fold(chain.from_iterable(parts)))


@given(ledgers, ledgers, ledgers)
def test_merge_is_a_join(a, b, c):
    assert merge(a, a) == a
    assert merge(a, b) == merge(b, a)
    assert merge(a, merge(b, c)) == merge(merge(a, b), c)
    assert merge(a, NOTHING) == merge(NOTHING, a) == a


@given(telemetry, telemetry)
def test_folding_is_a_homomorphism(one, other):
    """What is folded together is what is folded apart and merged; folding what was folded adds nothing."""
    assert fold(one + other) == merge(fold(one), fold(other))
    assert fold(facts_of(fold(one))) == fold(one)


@given(ledgers, ledgers)
def test_a_merge_loses_nothing(a, b):
    assert set(facts_of(merge(a, b))) == {*facts_of(a), *facts_of(b)}
