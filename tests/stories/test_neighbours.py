"""Operations that share a reference or a business intent."""

from tests.stories.story import Story, stories

OWNER = (
    "A ref shown under two operations without a common `intent_ref` belongs to the one whose payload hash it names; "
    "if that doesn't decide, to the one with a sighting that isn't `replayed`, then the earliest `observed_at`, "
    "then the smaller id. It is taken out of the other operation before counting."
)
GROUP = (
    "Every operation of an `intent_ref` group gets `duplicate_effect`, even one without an effect of its own; "
    "a group's expected count is the largest in it, not the sum."
)
REVERSAL = "`compensates`: the reversal of another effect"
UNCLEAR = (
    "A derived id is not unique when its intents differ in comparable hash, tool or run: `identity_unclear`, "
    "decided before counting, and no finding is raised."
)
JOINED = "joined over operations that share an `intent_ref`"


@stories(
    Story(
        "The payment belongs to the operation whose amount it names, though the other saw it first",
        OWNER,
        """intent pay payload=A; attempt success; receipt pay_1 payload=B
           intent pay op=op-2 payload=B; attempt success op=op-2; receipt pay_1 payload=B op=op-2""",
        "false_success",
        others=(("op-2", "verified_applied"),),
    ),
    Story(
        "An attempt's payload decides as well as an intent's",
        OWNER,
        """attempt success; receipt pay_1 payload=B
           attempt success op=op-2 payload=B; receipt pay_1 op=op-2""",
        "false_success",
        others=(("op-2", "verified_applied"),),
    ),
    Story(
        "Both meant that amount, and one saw it first-hand",
        OWNER,
        """intent pay payload=A; attempt success; receipt pay_1 payload=A replayed
           intent pay op=op-2 payload=A; attempt success op=op-2; receipt pay_1 payload=A op=op-2""",
        "false_success",
        others=(("op-2", "verified_applied"),),
    ),
    Story(
        "Both saw it first-hand, and one saw it first",
        OWNER,
        """intent pay; attempt success; receipt pay_1 at=20
           intent pay op=op-2; attempt success op=op-2; receipt pay_1 op=op-2 at=10""",
        "false_success",
        others=(("op-2", "verified_applied"),),
    ),
    Story(
        "Both saw it at the same time, and names decide",
        OWNER,
        """intent pay; attempt success; receipt pay_1 at=10
           intent pay op=op-2; attempt success op=op-2; receipt pay_1 op=op-2 at=10""",
        "verified_applied",
        others=(("op-2", "false_success"),),
    ),
    Story(
        "Hearsay does not decide to whom the payment belongs",
        "Only authoritative, applied effects count.",
        """intent pay; attempt success; receipt pay_1 at=20
           intent pay op=op-2; attempt success op=op-2; receipt pay_1 op=op-2 at=10 authoritative=false""",
        "verified_applied",
        others=(("op-2", "indeterminate"),),
    ),
    Story(
        "Somebody else's payment does not make a second one",
        OWNER,
        """intent pay; attempt success; receipt pay_1; receipt pay_2 replayed
           intent pay op=op-2; attempt success op=op-2; receipt pay_2 op=op-2""",
        "verified_applied",
        others=(("op-2", "verified_applied"),),
    ),
    Story(
        "A read shows a payment that another operation made",
        "An operation is a read only if all its intents say `side_effect: false`",
        """intent pay; attempt success; receipt pay_1 at=20
           intent list_payments op=op-2 side_effect=false; probe pay_1 op=op-2 at=10""",
        "verified_applied",
        others=(("op-2", "healthy"),),
    ),
    Story(
        "The only effect shown belongs to another, and the call timed out",
        "the only effect shown belongs to another operation",
        """intent pay; attempt timeout; probe pay_1 at=20
           intent pay op=op-2; receipt pay_1 op=op-2 at=10""",
        "indeterminate",
        reason="ambiguous",
        others=(("op-2", "verified_applied"),),
    ),
    Story(
        "An order was placed twice, under two names with one business intent",
        JOINED,
        """intent order intent_ref=cart-1; receipt ord_1
           intent order op=op-2 intent_ref=cart-1; receipt ord_2 op=op-2""",
        "duplicate_effect",
        sentence="order and other operations with the same business intent took effect more often than meant.",
        others=(("op-2", "duplicate_effect"),),
    ),
    Story(
        "Two orders on purpose have two business intents",
        JOINED,
        """intent order intent_ref=line-1; receipt ord_1
           intent order op=op-2 intent_ref=line-2; receipt ord_2 op=op-2""",
        "verified_applied",
        others=(("op-2", "verified_applied"),),
    ),
    Story(
        "Two names for one business intent show one order",
        JOINED,
        """intent order intent_ref=cart-1; attempt timeout; receipt ord_1
           intent order op=op-2 intent_ref=cart-1; receipt ord_1 op=op-2""",
        "verified_applied",
        others=(("op-2", "verified_applied"),),
    ),
    Story(
        "A third operation of that business intent made nothing itself",
        GROUP,
        """intent order intent_ref=cart-1; attempt timeout
           intent order op=op-2 intent_ref=cart-1; receipt ord_1 op=op-2
           intent order op=op-3 intent_ref=cart-1; receipt ord_2 op=op-3""",
        "duplicate_effect",
        others=(("op-2", "duplicate_effect"), ("op-3", "duplicate_effect")),
    ),
    Story(
        "A neighbour with the same business intent counts two",
        GROUP,
        """intent order intent_ref=cart-1; attempt timeout
           intent order op=op-2 intent_ref=cart-1; probe 2 op=op-2""",
        "duplicate_effect",
        others=(("op-2", "duplicate_effect"),),
    ),
    Story(
        "Two were meant in all, and two operations made one each",
        GROUP,
        """intent order intent_ref=cart-1 meant=2; receipt ord_1
           intent order op=op-2 intent_ref=cart-1 meant=2; receipt ord_2 op=op-2""",
        "indeterminate",
        reason="partial",
    ),
    Story(
        "Two were meant in all, not two each",
        GROUP,
        """intent order intent_ref=cart-1 meant=2; receipt ord_1
           intent order op=op-2 intent_ref=cart-1 meant=2; receipt ord_2 op=op-2; receipt ord_3 op=op-2""",
        "duplicate_effect",
        others=(("op-2", "duplicate_effect"),),
    ),
    Story(
        "The surplus order of a neighbour was taken back",
        "a duplicate that was compensated stays a duplicate, marked resolved",
        """intent order intent_ref=cart-1; receipt ord_1
           intent order op=op-2 intent_ref=cart-1; receipt ord_2 op=op-2; webhook c_1 compensates=ord_2 op=op-2""",
        "duplicate_effect",
        resolved=True,
    ),
    Story(
        "What a neighbour shows belongs to a third, and so there is no second order",
        OWNER,
        """intent order intent_ref=cart-1; receipt ord_1
           intent order op=op-2 intent_ref=cart-1; receipt ord_2 op=op-2 replayed
           intent order op=op-3; receipt ord_2 op=op-3""",
        "verified_applied",
    ),
    Story(
        "The refund is a call of its own: it took effect, and the payment is gone",
        REVERSAL,
        """intent pay payload=A; attempt success; receipt pay_1 payload=A
           intent refund op=op-2 payload=B; attempt success op=op-2
           receipt refund_1 compensates=pay_1 payload=B op=op-2""",
        "verified_applied",
        gone=True,
        others=(("op-2", "verified_applied"),),
    ),
    Story(
        "The refund doesn't take the payment away from the operation that shows it, whatever request it names",
        REVERSAL,
        """intent pay payload=A; attempt success; webhook pay_1
           intent refund op=op-2 payload=B; attempt success op=op-2
           receipt refund_1 compensates=pay_1 payload=B op=op-2 at=1""",
        "verified_applied",
        gone=True,
        others=(("op-2", "verified_applied"),),
    ),
    Story(
        "A call of its own refunded the second payment",
        "a duplicate that was compensated stays a duplicate, marked resolved",
        """intent pay key=k1; attempt timeout; attempt success; receipt pay_1; webhook pay_2
           intent refund op=op-2; attempt success op=op-2; receipt refund_1 compensates=pay_2 op=op-2""",
        "duplicate_effect",
        resolved=True,
        gone=True,
        others=(("op-2", "verified_applied"),),
    ),
    Story(
        "A call of its own tried to refund the second payment, and that failed in the end",
        "a duplicate that was compensated stays a duplicate, marked resolved",
        """intent pay key=k1; attempt timeout; attempt success; receipt pay_1; webhook pay_2
           intent refund op=op-2; attempt success op=op-2; receipt refund_1 compensates=pay_2 op=op-2
           webhook refund_1 count=0 op=op-2""",
        "duplicate_effect",
    ),
    Story(
        "The target holds no payment any more, since a call of its own refunded it",
        "A newer settled total of 0 wins over a receipt unless a `compensates` explains it.",
        """intent pay; attempt success; receipt pay_1
           intent refund op=op-2; attempt success op=op-2; receipt refund_1 compensates=pay_1 op=op-2; probe 0""",
        "verified_applied",
        gone=True,
    ),
    Story(
        "The payment heard of its refund before the call that made it",
        REVERSAL,
        """intent pay; attempt success; receipt pay_1 at=1; webhook refund_1 compensates=pay_1 at=5
           intent refund op=op-2; attempt success op=op-2; receipt refund_1 op=op-2 at=6""",
        "verified_applied",
        gone=True,
        others=(("op-2", "verified_applied"),),
    ),
    Story(
        "An event of the refund was taken for one of the payment's call",
        REVERSAL,
        """intent pay; attempt success; receipt pay_1; webhook refund_1 at=5
           intent refund op=op-2; attempt success op=op-2; receipt refund_1 compensates=pay_1 op=op-2 at=6""",
        "verified_applied",
        gone=True,
        others=(("op-2", "verified_applied"),),
    ),
    Story(
        "One payment was refunded twice by one call",
        REVERSAL,
        """intent refund; attempt success; receipt refund_1 compensates=pay_1; receipt refund_2 compensates=pay_1
           intent pay op=op-2; attempt success op=op-2; receipt pay_1 op=op-2""",
        "duplicate_effect",
        others=(("op-2", "verified_applied"),),
    ),
    Story(
        "The second refund's answer is the first one's, from the provider's key cache",
        OWNER,
        """intent refund; attempt success; receipt refund_1 compensates=pay_1 replayed
           intent refund op=op-2; attempt success op=op-2; receipt refund_1 compensates=pay_1 op=op-2
           intent pay op=op-3; attempt success op=op-3; receipt pay_1 op=op-3 at=1""",
        "false_success",
        others=(("op-2", "verified_applied"), ("op-3", "verified_applied")),
    ),
    Story(
        "What was made under a name that several calls share accuses no other operation of their business intent",
        UNCLEAR,
        """intent order intent_ref=cart-1; attempt timeout
           intent order op=call_0 id_source=tool_call_id payload=A intent_ref=cart-1; receipt ord_1 op=call_0
           intent order op=call_0 id_source=tool_call_id payload=B; receipt ord_2 op=call_0""",
        "indeterminate",
        reason="ambiguous",
        others=(("call_0", "indeterminate"),),
    ),
)
def test_neighbours(told):
    told.holds()
