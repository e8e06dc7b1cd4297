"""Which facts bear a verdict out, and no more than these: a star stands before each."""

import pytest

from counterfoil.evidence import fold
from counterfoil.explain import as_record, role_of
from counterfoil.judge import judge_all
from counterfoil.testing import OPERATION, judged, story

SHOWN = {
    "two payments, by the first sighting of each": (
        "duplicate_effect",
        """  intent pay
             attempt timeout
           * receipt pay_1
             webhook pay_1
           * webhook pay_2
             probe pay_2""",
    ),
    "the look that counted two": (
        "duplicate_effect",
        """  intent pay
             receipt pay_1
           * probe 2
             probe 1""",
    ),
    "two orders of one business intent, and the intents that join them": (
        "duplicate_effect",
        """* intent order intent_ref=cart-1
           * receipt ord_1
             intent order op=op-2
           * intent order op=op-2 intent_ref=cart-1
           * receipt ord_2 op=op-2
             intent order op=op-3 intent_ref=cart-1""",
    ),
    "the intent that joins only reads, so one that may act is shown as well": (
        "duplicate_effect",
        """* intent order intent_ref=cart-1 side_effect=false
           * intent order
           * receipt ord_1
           * intent order op=op-2 intent_ref=cart-1
           * receipt ord_2 op=op-2""",
    ),
    "two requests under one key, and the intent that named it": (
        "key_conflict",
        """* intent pay key=k1
             intent pay
           * attempt timeout payload=A
             attempt timeout payload=A
           * attempt success payload=B
             receipt pay_1""",
    ),
    "two requests that name their key themselves": (
        "key_conflict",
        """  intent pay key=k9
           * attempt timeout key=k1 payload=A
           * attempt success key=k1 payload=B""",
    ),
    "the request of another operation": (
        "key_conflict",
        """* attempt success key=k1 payload=A
             attempt success op=op-2 key=k1 payload=A
           * attempt success op=op-3 key=k1 payload=B""",
    ),
    "an attempt that can't be compared is shown with two others that differ": (
        "key_conflict",
        """* attempt success key=k1 payload=hmac-sha256:A
           * attempt success op=op-2 key=k1 payload=A
           * attempt success op=op-3 key=k1 payload=B""",
    ),
    "of two attempts, the one that can be compared": (
        "key_conflict",
        """  attempt timeout key=k1
           * attempt success key=k1 payload=A
           * attempt success op=op-2 key=k1 payload=B""",
    ),
    "all views of an attempt": (
        "key_conflict",
        """* attempt started id=a1 key=k1 payload=A
           * attempt success id=a1
           * attempt success id=a2 key=k1 payload=B""",
    ),
    "who said success, and the look that found nothing": (
        "false_success",
        """  intent pay
             attempt timeout
           * attempt success
           * claim success
           * probe 0""",
    ),
    "what was shown belongs to another": (
        "false_success",
        """  intent pay
           * attempt success
           * receipt pay_1 replayed
             receipt pay_1 op=op-2""",
    ),
    "what exists, and the newest look that said no": (
        "outcome_mismatch",
        """* receipt t_1
             probe t_1 conforms=false
           * probe t_1 conforms=false""",
    ),
    "the attempt that was repeated, and the repeat": (
        "unsafe_retry",
        """  intent pay
           * attempt timeout key=k1
             attempt timeout key=k1
           * attempt success key=k2
             attempt success key=k3""",
    ),
    "what was approved, and what was executed": (
        "unsafe_retry",
        """* intent pay payload=A approved
             attempt timeout payload=A
           * attempt success payload=B""",
    ),
    "the receipt": (
        "verified_applied",
        """  intent pay
             attempt success
           * receipt pay_1
             webhook pay_1""",
    ),
    "the look that found nothing": (
        "verified_not_applied",
        """  intent pay
             attempt timeout
           * probe 0""",
    ),
    "that it only reads": (
        "healthy",
        """* intent find side_effect=false
             attempt timeout""",
    ),
    "two intents that can't be one call": (
        "indeterminate",
        """* intent pay id_source=tool_call_id
           * intent mail id_source=tool_call_id
             receipt pay_1""",
    ),
    "the receipt for another request": (
        "indeterminate",
        """  intent pay payload=A
           * receipt pay_1 payload=B""",
    ),
}


@pytest.mark.parametrize(("verdict", "told"), SHOWN.values(), ids=SHOWN)
def test_the_witnesses(verdict, told):
    lines = [line.strip() for line in told.splitlines()]
    facts = story("\n".join(line.removeprefix("*") for line in lines))
    judgement = judge_all(fold(facts))[OPERATION]
    assert judgement.verdict == verdict
    assert set(judgement.witnesses) == {fact for fact, line in zip(facts, lines, strict=True) if line.startswith("*")}


def test_witnesses_are_told_in_order_of_time_with_their_part_in_the_story():
    told = as_record(judged("claim success at=3; probe 0 at=4; intent pay at=1; attempt success at=2"))
    assert [witness["role"] for witness in told["witnesses"]] == ["attempt", "claim", "probe"]
    assert [role_of(fact) for fact in story("intent pay; receipt pay_1; effect 2; unreadable count")] == [
        "intent",
        "effect",
        "probe",
        "unreadable",
    ]
