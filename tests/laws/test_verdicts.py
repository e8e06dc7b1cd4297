"""What a judgement may say, and what no evidence of some kind can ever make it say."""

from dataclasses import replace

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from counterfoil.doubts import identity_unclear
from counterfoil.evidence import Folded, fold, merge
from counterfoil.explain import as_record
from counterfoil.facts import Attempt, Effect, Intent
from counterfoil.findings import unapproved
from counterfoil.judge import judge_all
from counterfoil.verdicts import NEXT_ACTION, WORST_FIRST, Finding, Outcome, Reason
from tests.strategies import accusations, facts_of, gaps, held, ledgers, meant, telemetry, told

WORDS = [*Outcome, *Finding, *Reason]
worlds = st.one_of(ledgers, accusations.map(fold))


def said(folded):
    return {word for j in judge_all(folded).values() for word in (j.verdict, j.outcome, *j.findings, j.reason)}


@pytest.mark.parametrize("word", WORDS, ids=str)
def test_every_word_can_be_reached(word):
    """A law is only as good as its worlds: each outcome, finding and reason must occur in them."""
    quick = settings(max_examples=20_000, phases=[Phase.generate], derandomize=True, database=None)
    find(worlds, lambda folded: word in said(folded), settings=quick)


@given(worlds)
def test_the_verdict_is_the_worst_of_outcome_and_findings(folded):
    """But for an unsafe retry of which a count shows that it did no harm; and a want of advice is never the worst."""
    order = (*WORST_FIRST, Finding.UNADVISED)
    for judgement in judge_all(folded).values():
        worst = min((judgement.outcome, *judgement.findings), key=order.index)
        lucky = worst is Finding.UNSAFE_RETRY and judgement.outcome is Outcome.VERIFIED_APPLIED
        assert judgement.verdict is worst or (lucky and judgement.verdict is judgement.outcome)
        if judgement.verdict is not worst:
            assert judgement.case.holdings.total is not None
            assert not unapproved(judgement.operation)


@given(worlds)
def test_a_reason_is_given_for_doubt_and_for_nothing_else(folded):
    for judgement in judge_all(folded).values():
        assert (judgement.reason is not None) == (judgement.outcome is Outcome.INDETERMINATE)


@given(worlds)
def test_every_judgement_can_be_told(folded):
    """One plain sentence, a next safe action that isn't a blind retry, and no text that a host could not have said."""
    for judgement in judge_all(folded).values():
        record = as_record(judgement)
        sentence = str(record["explanation"])
        assert sentence.endswith(".")
        assert "None" not in sentence
        assert "sha256" not in sentence
        assert record["next_action"] == NEXT_ACTION[judgement.verdict]


@given(worlds)
def test_only_an_authoritative_look_shows_an_effect_or_its_absence(folded):
    """Silence, transport and claims never do: without a look that may be believed, no outcome is certain but "every
    attempt provably did nothing" and "it only reads"."""
    hearsay = fold(
        replace(fact, authoritative=False) if isinstance(fact, Effect) else fact for fact in facts_of(folded)
    )
    for judgement in judge_all(hearsay).values():
        if judgement.outcome is Outcome.VERIFIED_NOT_APPLIED:
            assert all(not dispatch.executed for dispatch in judgement.operation.dispatches)
        else:
            assert judgement.outcome in (Outcome.INDETERMINATE, Outcome.HEALTHY)
        assert Finding.OUTCOME_MISMATCH not in judgement.findings


@given(worlds)
def test_attempts_are_never_counted_as_effects(folded):
    """Without looks, and whatever was sent and claimed, no effect is counted."""
    blind = fold(fact for fact in facts_of(folded) if not isinstance(fact, Effect))
    assert all(judgement.effect_count == 0 for judgement in judge_all(blind).values())


@given(ledgers, gaps)
def test_a_gap_changes_nothing_but_the_reason(folded, gap):
    """Except that, under it, nobody can know that every attempt did nothing."""
    without = Folded(folded.operations)
    before, after = judge_all(without), judge_all(merge(without, fold([gap])))
    for name, judgement in after.items():
        assert judgement.findings == before[name].findings
        if judgement.outcome is not before[name].outcome:
            assert before[name].outcome is Outcome.VERIFIED_NOT_APPLIED
            assert not before[name].case.holdings.absence
            assert judgement.outcome is Outcome.INDETERMINATE
        elif judgement.reason is not before[name].reason:
            assert judgement.reason is Reason.TELEMETRY_GAP


@given(ledgers)
def test_a_read_has_no_findings_and_harms_nobody(folded):
    """What only reads is healthy, and the others are judged as if it weren't there."""
    reads = {name for name, judgement in judge_all(folded).items() if judgement.operation.is_read}
    others = Folded({name: facts for name, facts in folded.operations.items() if name not in reads}, folded.gaps)
    for name, record in told(folded).items():
        if name in reads:
            assert (record["verdict"], record["findings"]) == ("healthy", [])
        else:
            assert record == told(others)[name]


@given(worlds, held, st.integers(1, 3))
def test_a_second_sighting_of_one_reference_is_no_second_effect(folded, look, later):
    """A webhook after the receipt, a receipt from the provider's key cache: one object stays one."""
    seen_once = merge(folded, fold([look]))
    again = replace(look, observed_at=look.observed_at + later, source="webhook", replayed=True)
    seen_twice = merge(seen_once, fold([again]))
    one, two = (judge_all(seen)[look.operation_id] for seen in (seen_once, seen_twice))
    assert one.effect_refs == two.effect_refs
    assert (one.outcome is Outcome.DUPLICATE_EFFECT) == (two.outcome is Outcome.DUPLICATE_EFFECT)


@given(st.lists(meant, min_size=2, max_size=3), telemetry)
def test_a_derived_name_that_is_not_unique_accuses_nobody(intents, sent):
    unclear = [
        replace(fact, id_source="tool_call_id") if isinstance(fact, Intent | Attempt) else fact
        for fact in [*intents, *sent]
    ]
    for judgement in judge_all(fold(unclear)).values():
        if identity_unclear(judgement.case) and not judgement.operation.is_read:
            assert judgement.reason is Reason.IDENTITY_UNCLEAR
            assert judgement.verdict is Outcome.INDETERMINATE
            assert judgement.findings == ()
