"""What a receipt proves, and what a refund leaves true."""

from tests.stories.story import Story, stories

REVERSAL = "`compensates`: the reversal of another effect"


@stories(
    Story(
        "The receipt is for another amount than was meant",
        "A receipt proves only the payload that it names: it contradicts the intent when its hash is comparable and is "
        "neither the intent's nor that of an attempt sent after a definite rejection",
        "intent charge_card payload=A; attempt success payload=A; receipt pay_1 payload=B",
        "indeterminate",
        reason="receipt_mismatch",
        sentence="Nobody knows whether charge_card took effect: the receipt is for another request.",
    ),
    Story(
        "A count of one is for another amount than was meant",
        "A receipt proves only the payload that it names",
        "intent charge_card payload=A; attempt success payload=A; probe 1 payload=B",
        "indeterminate",
        reason="receipt_mismatch",
    ),
    Story(
        "The receipt's hash is of another kind, so it contradicts nothing",
        "it contradicts the intent when its hash is comparable",
        "intent charge_card payload=A; attempt success payload=A; receipt pay_1 payload=hmac-sha256:B",
        "verified_applied",
    ),
    Story(
        "The provider refused the first request, and the receipt is for the corrected one",
        "that of an attempt sent after a definite rejection (`executed: false`) of the earlier payload",
        """intent charge_card payload=A
           attempt 422 payload=A executed=false proof=provider_rejected
           attempt success payload=B; receipt pay_1 payload=B""",
        "verified_applied",
    ),
    Story(
        "Another request went out though nobody had refused the first, and the receipt is for that",
        "that of an attempt sent after a definite rejection (`executed: false`) of the earlier payload",
        "intent charge_card payload=A key=k1; attempt timeout; attempt success payload=B; receipt pay_1 payload=B",
        "indeterminate",
        reason="receipt_mismatch",
    ),
    Story(
        "The second of two payments was refunded",
        "a duplicate that was compensated stays a duplicate, marked resolved",
        """intent charge_card key=k1; attempt timeout; attempt success
           receipt pay_1; webhook pay_2; webhook refund_1 compensates=pay_2""",
        "duplicate_effect",
        resolved=True,
        gone=True,
        sentence="charge_card took effect twice where 1 was meant (pay_1, pay_2). The surplus was reversed since.",
    ),
    Story(
        "One of three payments was refunded, and one is still too many",
        "a duplicate that was compensated stays a duplicate, marked resolved",
        "intent charge_card; receipt pay_1; receipt pay_2; receipt pay_3; webhook refund_1 compensates=pay_3",
        "duplicate_effect",
        gone=True,
    ),
    Story(
        "The refund of the second payment failed in the end",
        REVERSAL,
        """intent charge_card key=k1; attempt timeout; attempt success; receipt pay_1; webhook pay_2
           receipt refund_1 compensates=pay_2; webhook refund_1 count=0""",
        "duplicate_effect",
        sentence="charge_card took effect twice where 1 was meant (pay_1, pay_2).",
    ),
    Story(
        "The refund of the second payment failed, in the words of the provider",
        REVERSAL,
        """intent charge_card key=k1; attempt timeout; attempt success; receipt pay_1; webhook pay_2
           receipt refund_1 compensates=pay_2; webhook refund_1 compensates=pay_2 stage=failed""",
        "duplicate_effect",
    ),
    Story(
        "The refund of the second payment is only promised",
        REVERSAL,
        """intent charge_card key=k1; attempt timeout; attempt success; receipt pay_1; webhook pay_2
           receipt refund_1 compensates=pay_2 stage=accepted""",
        "duplicate_effect",
    ),
    Story(
        "Nobody who may be believed says that the second payment was refunded",
        REVERSAL,
        """intent charge_card key=k1; attempt timeout; attempt success; receipt pay_1; webhook pay_2
           receipt refund_1 compensates=pay_2 authoritative=false""",
        "duplicate_effect",
    ),
    Story(
        "Somebody looked at the refund: it is no second payment",
        REVERSAL,
        "intent charge_card; attempt success; receipt pay_1; receipt refund_1 compensates=pay_1; webhook refund_1",
        "verified_applied",
        gone=True,
    ),
    Story(
        "An event tells of the refund",
        REVERSAL,
        "intent charge_card; attempt success; receipt pay_1; webhook evt_1 about_ref=refund_1 compensates=pay_1",
        "verified_applied",
        gone=True,
    ),
    Story(
        "The payment itself says that it was reversed",
        REVERSAL,
        "intent charge_card; attempt success; receipt pay_1; webhook pay_1 compensates=pay_1",
        "verified_applied",
        gone=True,
    ),
    Story(
        "The refund was reversed in its turn, so the payment stands",
        REVERSAL,
        """intent charge_card; attempt success; receipt pay_1
           receipt refund_1 compensates=pay_1; webhook reversal_1 compensates=refund_1""",
        "verified_applied",
    ),
    Story(
        "The only payment was refunded later",
        "a single effect that was reversed was applied",
        "intent charge_card; attempt success; receipt pay_1; webhook refund_1 compensates=pay_1",
        "verified_applied",
        gone=True,
        sentence="charge_card took effect once (pay_1), as the target itself says. It was there and no longer is.",
    ),
)
def test_receipts(told):
    told.holds()
