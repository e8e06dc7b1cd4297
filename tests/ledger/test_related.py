"""How far a verdict looks, told as stories: to whom a reference of another member of one's intent belongs."""

from __future__ import annotations

from counterfoil.facts import Fact, Gap
from counterfoil.ledger import related
from counterfoil.ledger.memory import MemoryLedger
from counterfoil.ledger.protocol import Ledger
from counterfoil.ledger.related import neighbourhood
from counterfoil.testing import story
from counterfoil.verdicts import Outcome, Reason
from tests.ledger.worlds import LATE, judge_to_the_end

TWO_OF_ONE_ORDER = story("""
    intent  charge op=a intent_ref=order-1 at=10
    receipt pay_1 op=a
    intent  charge op=b intent_ref=order-1
    receipt pay_2 op=b
""")
A_STRANGER_HAD_IT_FIRST = story("intent charge op=c at=0; receipt pay_2 op=c")


def knowing(*stories: tuple[Fact | Gap, ...]) -> Ledger:
    ledger = MemoryLedger()
    for facts in stories:
        ledger.add(facts, due=LATE)
    return ledger


def outcome_of(ledger: Ledger, name: str) -> Outcome:
    return ledger.told([name])[name].said.outcome


def test_the_neighbourhood_of_one_holds_whoever_shows_a_reference_of_its_order() -> None:
    ledger = knowing(TWO_OF_ONE_ORDER, A_STRANGER_HAD_IT_FIRST)
    assert neighbourhood(ledger, ["a"]).folded.operations.keys() == {"a", "b", "c"}


def test_the_neighbourhood_ends_where_verdicts_do() -> None:
    ledger = knowing(TWO_OF_ONE_ORDER, story("attempt success op=d key=k1; attempt success op=e key=k1 payload=A"))
    assert neighbourhood(ledger, ["a"]).folded.operations.keys() == {"a", "b"}
    assert neighbourhood(ledger, ["d"]).folded.operations.keys() == {"d", "e"}


def test_a_stranger_two_steps_away_takes_a_duplicate_back() -> None:
    ledger = knowing(TWO_OF_ONE_ORDER)
    judge_to_the_end(ledger)
    assert outcome_of(ledger, "a") is outcome_of(ledger, "b") is Outcome.DUPLICATE_EFFECT
    ledger.add(A_STRANGER_HAD_IT_FIRST, due=LATE)
    judge_to_the_end(ledger)
    assert outcome_of(ledger, "a") is Outcome.VERIFIED_APPLIED


def test_a_crowd_is_read_in_part_and_leaves_doubt(monkeypatch) -> None:
    """A reference such as "ok" would otherwise make every judgement read everything."""
    monkeypatch.setattr(related, "MAX_SHARING", 3)
    monkeypatch.setattr("counterfoil.ledger.memory.MAX_SHARING", 3)
    crowd = [fact for n in range(5) for fact in story(f"intent charge op=op-{n} key=k1; attempt timeout op=op-{n}")]
    ledger = knowing(tuple(crowd))
    judge_to_the_end(ledger)
    assert {told.said.reason for told in ledger.told([f"op-{n}" for n in range(5)]).values()} == {Reason.TELEMETRY_GAP}
