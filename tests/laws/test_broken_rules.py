"""A bug of ours must not become somebody's incident, or their all-clear."""

from dataclasses import fields, replace

from hypothesis import given
from hypothesis import strategies as st

from counterfoil.evidence import fold
from counterfoil.judge import RULES, judge_all
from counterfoil.verdicts import ACQUITTALS, Outcome, Reason
from tests.strategies import accusations, ledgers, told

TABLES = [(table.name, word) for table in fields(RULES) for word in getattr(RULES, table.name)]


def breaks(case):
    raise ZeroDivisionError(case.operation.operation_id)


def broken(*places):
    """The rules, some of which raise whenever they are asked."""
    rules = RULES
    for table, word in places:
        rules = replace(rules, **{table: {**getattr(rules, table), word: breaks}})
    return rules


@given(st.sampled_from(TABLES), ledgers | accusations.map(fold))
def test_a_rule_that_breaks_leaves_doubt(place, folded):
    """It never convicts, and never acquits; what the other rules found stays found."""
    table, word = place
    sound = judge_all(folded)
    for name, judgement in judge_all(folded, broken(place)).items():
        before = sound[name]
        assert set(judgement.findings) == set(before.findings) - {word}
        if judgement.outcome is not before.outcome:
            assert judgement.outcome is Outcome.INDETERMINATE
            assert judgement.reason is Reason.UNREADABLE
        if not before.operation.is_read and before.reason is not Reason.IDENTITY_UNCLEAR and table != "doubts":
            assert judgement.outcome not in ACQUITTALS


@given(ledgers | accusations.map(fold))
def test_rules_that_all_break_still_give_an_answer(folded):
    for record in told(folded, broken(*TABLES)).values():
        assert record["verdict"] in ("indeterminate", "healthy")
        assert record["findings"] == []
