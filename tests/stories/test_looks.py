"""Which looks are believed on absence, and which of two wins."""

from tests.stories.story import Story, stories

NEWEST = (
    "Per ref the newest authoritative settled look wins. If an applied sighting preceded a zero, it was applied and "
    "taken away: `verified_applied`, marked gone. If only `accepted` preceded, it is absence."
)
ZERO = "A newer settled total of 0 wins over a receipt unless a `compensates` explains it."
SETTLED = (
    "Absent `settle_after_s` is 0. A zero taken before the last executed attempt is never settled; "
    "with no attempt it is settled."
)

OTHER = "`matches_payload_hash` on an effect: the request that it answers"
LAG = (
    "`settle_after_s`: the target's read lag: a negative probe earlier than this after the last attempt is no evidence "
    "of absence"
)


@stories(
    Story(
        "The ticket was there, and was deleted later",
        NEWEST,
        "intent create_ticket; attempt success; receipt t_1; probe t_1 count=0",
        "verified_applied",
        gone=True,
        sentence="create_ticket took effect once (t_1), as the target itself says. It was there and no longer is.",
    ),
    Story(
        "The ticket was not there yet, and is now",
        NEWEST,
        "intent create_ticket; attempt success; probe t_1 count=0; probe t_1",
        "verified_applied",
    ),
    Story(
        "The mail was accepted, and then dropped",
        NEWEST,
        "intent send_mail; attempt 202 reported=success; receipt m_1 stage=accepted; webhook m_1 count=0 stage=dropped",
        "false_success",
        sentence="send_mail was reported done, and the target holds nothing.",
    ),
    Story(
        "The mail was accepted and dropped, and nobody had said more than accepted",
        NEWEST,
        "intent send_mail; attempt 202; receipt m_1 stage=accepted; webhook m_1 count=0",
        "verified_not_applied",
    ),
    Story(
        "One of two mails was dropped, and the other is still on its way",
        NEWEST,
        "intent send_mail; attempt 202; receipt m_1 stage=accepted; receipt m_2 stage=accepted; webhook m_1 count=0",
        "indeterminate",
        reason="accepted",
    ),
    Story(
        "A look that may not be believed says that the ticket is gone",
        NEWEST,
        "intent create_ticket; receipt t_1; probe t_1 count=0 authoritative=false",
        "verified_applied",
    ),
    Story(
        "The provider gave a receipt, and a later count finds nothing",
        ZERO,
        "intent pay; attempt success; receipt pay_1; probe 0",
        "false_success",
    ),
    Story(
        "The provider gave a receipt, and a later count finds nothing, since it was refunded",
        ZERO,
        "intent pay; attempt success; receipt pay_1; webhook refund_1 compensates=pay_1; probe 0",
        "verified_applied",
        gone=True,
    ),
    Story(
        "A count found nothing, and the receipt is newer",
        ZERO,
        "intent pay; attempt success; probe 0; receipt pay_1",
        "verified_applied",
    ),
    Story(
        "A count that came too early does not win over the receipt",
        ZERO,
        "intent pay; attempt success; receipt pay_1; probe 0 settle_after_s=60",
        "verified_applied",
    ),
    Story(
        "The target was asked between two attempts",
        SETTLED,
        "intent pay key=k1; attempt timeout; probe 0; attempt timeout",
        "indeterminate",
        reason="settling",
    ),
    Story(
        "The target was asked before an attempt that was stopped",
        SETTLED,
        "intent pay; attempt timeout; probe 0; attempt error executed=false proof=blocked_by_guard",
        "verified_not_applied",
    ),
    Story(
        "The target was asked, and no attempt was ever seen",
        SETTLED,
        "intent pay; probe 0 settle_after_s=60",
        "verified_not_applied",
    ),
    Story(
        "The target was asked in the second in which its lag ends",
        SETTLED,
        "intent pay; attempt timeout at=0; probe 0 settle_after_s=30 at=30",
        "verified_not_applied",
    ),
    Story(
        "The target was asked a second before its lag ends",
        SETTLED,
        "intent pay; attempt timeout at=0; probe 0 settle_after_s=30 at=29",
        "indeterminate",
        reason="settling",
    ),
    Story(
        "The look doesn't say how far the target lags, and the operator does",
        LAG,
        "intent pay settle_after_s=30; attempt success at=0; probe 0 at=29",
        "indeterminate",
        reason="settling",
    ),
    Story(
        "The mail was accepted, and somebody asked before the target could have sent it",
        LAG,
        "intent send_mail settle_after_s=30; attempt 202 at=0; receipt m_1 stage=accepted; probe 0 at=9",
        "indeterminate",
        reason="accepted",
    ),
    Story(
        "The agent's clock is minutes behind, and the operator allows for that",
        LAG,
        "intent pay settle_after_s=300; attempt success at=20; receipt pay_1 at=20; probe 0 at=200",
        "verified_applied",
    ),
    Story(
        "The target was asked after the lag that the operator knows",
        LAG,
        "intent pay settle_after_s=30; attempt success at=0; probe 0 at=30",
        "false_success",
    ),
    Story(
        "The provider itself says that the mail was dropped, however far a read may lag",
        LAG,
        "intent send_mail settle_after_s=30; attempt 202 at=0; receipt m_1 stage=accepted; webhook m_1 count=0 at=2",
        "verified_not_applied",
    ),
    Story(
        "The lag counts from the end of the attempt, not from its start",
        SETTLED,
        "intent pay; attempt started id=a1 started_only at=0; attempt timeout id=a1 at=20; probe 0 at=10",
        "indeterminate",
        reason="settling",
    ),
    Story(
        "The mail was dropped, and the provider has taken it up again",
        NEWEST,
        """intent send_mail; attempt 202; receipt m_1 stage=accepted; webhook m_1 count=0 stage=dropped
           webhook m_1 stage=accepted""",
        "indeterminate",
        reason="accepted",
    ),
    Story(
        "The mail was dropped, and somebody who may not be believed says that it is on its way",
        NEWEST,
        """intent send_mail; attempt 202; webhook m_1 count=0 stage=dropped
           receipt m_1 stage=accepted authoritative=false""",
        "verified_not_applied",
    ),
    Story(
        "The target was asked for another request than the one that was sent",
        OTHER,
        "intent pay payload=A; attempt timeout payload=A; probe 0 payload=B",
        "indeterminate",
        reason="ambiguous",
    ),
    Story(
        "Another request was sent than was meant, and the target holds nothing of that",
        OTHER,
        "intent pay payload=A; attempt success payload=B; probe 0 payload=B",
        "false_success",
    ),
    Story(
        "Two requests were sent, and the target was asked for the one that was not meant",
        OTHER,
        "intent pay payload=A; attempt timeout key=k1 payload=A; attempt timeout key=k1 payload=B; probe 0 payload=B",
        "key_conflict",
        outcome="indeterminate",
        reason="ambiguous",
    ),
    Story(
        "The target holds nothing of a second request, and the receipt of the first stays true",
        OTHER,
        """intent pay key=k1 payload=A; attempt success payload=A; receipt pay_1 payload=A
           attempt 400 payload=B reported=error; probe 0 payload=B""",
        "key_conflict",
        outcome="verified_applied",
    ),
    Story(
        "The corrected request was counted, and the target holds nothing of the refused one",
        OTHER,
        """intent pay payload=A; attempt 422 payload=A executed=false proof=provider_rejected
           attempt success payload=B; receipt pay_1 payload=B; probe 0 payload=A""",
        "verified_applied",
    ),
    Story(
        "The mail was accepted, and then sent: a promise that was kept is no trouble",
        NEWEST,
        "intent send_mail; attempt 202; receipt m_1 stage=accepted; webhook m_1",
        "verified_applied",
        sentence="send_mail took effect once (m_1), as the target itself says.",
    ),
)
def test_looks(told):
    told.holds()
