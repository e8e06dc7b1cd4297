"""The facts that may take a conviction back: each kind of them does, in a story of its own."""

import pytest

from counterfoil.evidence import fold
from counterfoil.judge import judge_all
from counterfoil.rules import may_take_back
from counterfoil.testing import OPERATION, story
from counterfoil.verdicts import Finding, Outcome

TWO_PAYMENTS = "intent pay; receipt pay_1; receipt pay_2;"
TWO_AMOUNTS = "intent pay; attempt timeout id=a1 key=k1 payload=A; attempt success id=a2 key=k1 payload=B;"
TWO_WITHOUT_A_NAME = "attempt timeout id=a1 payload=A; attempt success id=a2 key=k1 payload=B;"

FREED = {
    "Two were meant": (TWO_PAYMENTS, "intent pay meant=2"),
    "Two were meant, says somebody else": (TWO_PAYMENTS, "claim error meant=2"),
    "It only reads": ("receipt pay_1; receipt pay_2;", "intent find side_effect=false"),
    "Its derived name is shared by two calls": (TWO_PAYMENTS, "intent send_mail id_source=tool_call_id"),
    "An attempt has no declared name": (
        "intent pay run_id=r1; intent pay run_id=r2; receipt pay_1; receipt pay_2;",
        "attempt success id_source=tool_call_id",
    ),
    "The key was another": (
        f"intent pay key=k1 at=9; {TWO_WITHOUT_A_NAME}",
        "intent pay key=k2 at=1",
    ),
    "The second request never left": (TWO_AMOUNTS, "attempt error id=a2 executed=false proof=blocked_by_guard at=0"),
    "The second attempt is the first one seen again": (
        f"{TWO_AMOUNTS} attempt success id=a1 dispatch_ref=activity-1 at=2;",
        "attempt success id=a2 dispatch_ref=activity-1 at=3",
    ),
    "One of the payments is another operation's, which saw it first": (TWO_PAYMENTS, "receipt pay_2 op=op-2 at=0"),
    "One of the payments is another operation's, whose amount it names": (
        "intent pay; receipt pay_1; receipt pay_2 payload=B; receipt pay_2 op=op-2;",
        "intent pay op=op-2 payload=B",
    ),
    "One of the payments is another operation's, which sent that amount": (
        "intent pay; receipt pay_1; receipt pay_2 payload=B; receipt pay_2 op=op-2;",
        "attempt success op=op-2 payload=B",
    ),
    "One of the payments was the refund of the other": (TWO_PAYMENTS, "webhook pay_2 compensates=pay_1"),
    "Two were meant by the business intent that it turns out to share": (
        """intent order intent_ref=cart-1; receipt ord_1
           intent order op=op-2 intent_ref=cart-1; receipt ord_2 op=op-2; claim error op=op-3 meant=2;""",
        "intent order op=op-3 intent_ref=cart-1",
    ),
}


@pytest.mark.parametrize(("seen", "later"), FREED.values(), ids=FREED)
def test_this_takes_it_back(seen, later):
    convicted = {Finding.KEY_CONFLICT, Outcome.DUPLICATE_EFFECT}
    *before, last = story(seen + later)
    assert judge_all(fold(before))[OPERATION].verdict in convicted
    assert judge_all(fold([*before, last]))[OPERATION].verdict not in convicted
    assert may_take_back(last, fold(before))


KEPT = {
    "a third payment": (TWO_PAYMENTS, "receipt pay_3"),
    "a refund": (TWO_PAYMENTS, "webhook refund_1 compensates=pay_2"),
    "a count of one": (TWO_PAYMENTS, "probe 1"),
    "a count of none": (TWO_PAYMENTS, "probe 0"),
    "another attempt, stopped": (TWO_AMOUNTS, "attempt error id=a3 executed=false proof=blocked_by_guard"),
    "the assistant's word": (TWO_PAYMENTS, "claim error"),
    "a person's approval": (TWO_AMOUNTS, "intent pay approved payload=B"),
    "a gap": (TWO_PAYMENTS, "gap spans_dropped"),
    "a line that can't be read": (TWO_PAYMENTS, "unreadable count"),
}


@pytest.mark.parametrize(("seen", "later"), KEPT.values(), ids=KEPT)
def test_this_does_not(seen, later):
    *before, last = story(seen + later)
    verdict = judge_all(fold(before))[OPERATION].verdict
    assert judge_all(fold([*before, last]))[OPERATION].verdict is verdict
    assert not may_take_back(last, fold(before))
