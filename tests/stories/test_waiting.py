"""Waiting for a person is a state with an owner, a decision, an end and a token; past its window it is stalled."""

import pytest

from counterfoil.evidence import Evidence
from counterfoil.facts import DENIED, HUMAN, Attempt, Effect, Intent, Transport
from counterfoil.five_facts import five_facts
from counterfoil.judge import judge
from counterfoil.operations import operation_from
from counterfoil.reading.evidence import fact_from
from counterfoil.records import record_of
from counterfoil.waiting import waiting_of

SECOND = 1_000_000_000
MEANT = Intent(operation_id="order-7", observed_at=1 * SECOND, tool="pay")
ASKED = Intent(
    operation_id="order-7",
    observed_at=10 * SECOND,
    waits_for="payments on call",
    decision="whether it may be repeated",
    wait_s=60.0,
    resume_token="sha256:" + "a" * 64,
)
DECIDED = {
    "it was approved": Intent(operation_id="order-7", observed_at=20 * SECOND, approved=True),
    "it was denied": Attempt(
        operation_id="order-7", observed_at=20 * SECOND, attempt_id="a", executed=False, proof=DENIED
    ),
    "it was carried out": Attempt(
        operation_id="order-7", observed_at=20 * SECOND, attempt_id="a", transport=Transport.SUCCESS
    ),
    "a person settled it": Effect(
        operation_id="order-7", observed_at=20 * SECOND, source=HUMAN, effect_ref="ch_1", authoritative=True
    ),
}


def known(*facts):
    return operation_from("order-7", Evidence(facts))


def who_may_act(*facts, now):
    return five_facts(judge(known(*facts)), now)["who may act"]


def test_within_its_window_somebody_is_waited_for():
    said = who_may_act(MEANT, ASKED, now=30 * SECOND)
    assert "waits for payments on call to decide whether it may be repeated until 1970-01-01T00:01:10Z" in said
    assert "to be resumed by sha256:aaaa" in said


def test_past_its_window_it_is_stalled():
    said = who_may_act(MEANT, ASKED, now=71 * SECOND)
    assert "stalled since 1970-01-01T00:01:10Z: payments on call did not decide" in said


def test_a_wait_without_an_end_never_stalls():
    endless = Intent(operation_id="order-7", observed_at=10 * SECOND, waits_for="payments on call")
    waiting = waiting_of(known(MEANT, endless))
    assert waiting is not None
    assert not waiting.is_stalled(10**18)


def test_a_wait_of_more_years_than_can_be_written_down_has_no_end():
    long = Intent(operation_id="order-7", observed_at=10 * SECOND, waits_for="payments on call", wait_s=2.0**53)
    assert "waits for payments on call to decide what is to be done" in who_may_act(MEANT, long, now=30 * SECOND)


@pytest.mark.parametrize("what", DECIDED)
def test_it_is_over_once(what):
    assert waiting_of(known(MEANT, ASKED)) is not None
    assert waiting_of(known(MEANT, ASKED, DECIDED[what])) is None


def test_what_was_decided_before_is_another_matter():
    earlier = Intent(operation_id="order-7", observed_at=5 * SECOND, approved=True)
    assert waiting_of(known(MEANT, earlier, ASKED)) is not None


def test_it_changes_no_verdict():
    receipt = Effect(
        operation_id="order-7",
        observed_at=2 * SECOND,
        source="provider_receipt",
        effect_ref="ch_1",
        authoritative=True,
    )
    for facts in ((MEANT,), (MEANT, receipt)):
        assert judge(known(*facts)).verdict is judge(known(*facts, ASKED)).verdict


def test_it_is_read_back_as_it_was_written():
    assert fact_from(record_of(ASKED)) == ASKED
