"""Which looks are believed, on presence and on absence, and what they add up to."""

from tests.stories.story import Story, stories

COUNTED = "Only authoritative, applied effects count."
NEWEST = (
    "Per ref the newest authoritative settled look wins. If an applied sighting preceded a zero, it was applied and "
    "taken away: `verified_applied`, marked gone. If only `accepted` preceded, it is absence."
)
ZERO = "A newer settled total of 0 wins over a receipt unless a `compensates` explains it."
SETTLED = (
    "Absent `settle_after_s` is 0. A zero taken before the last executed attempt is never settled; "
    "with no attempt it is settled."
)
FEW = (
    "Too few is shown only by a probe's count; fewer refs than expected without such a count is `partial`, "
    "whoever reported success."
)
ABOUT = "`about_ref` makes the event a sighting of that object; its own ref is never an effect."
OWN = (
    "All own effects count towards duplicates, mismatching payload or not; "
    "`receipt_mismatch` only while the number isn't exceeded."
)
HARMLESS = (
    "The exception for a harmless `unsafe_retry` needs a probe with `effect_ref: null`, authoritative, "
    "settled after the last executed attempt."
)
LOST_INTENT = "default 1; the largest seen counts"
LUCKY = (
    "pay took effect once, as the target itself says. "
    "It was repeated unsafely, and a count taken afterwards shows that no harm was done."
)


@stories(
    Story(
        "Two payments, of which only one may be believed",
        COUNTED,
        "intent pay; receipt pay_1; webhook pay_2 authoritative=false",
        "verified_applied",
    ),
    Story(
        "One mail was sent, another only accepted",
        COUNTED,
        "intent send_mail; webhook msg_1; webhook msg_2 stage=accepted",
        "verified_applied",
    ),
    Story(
        "The target names a stage that nobody knows",
        "An unknown stage is not applied.",
        "intent pay; attempt success; webhook pay_1 stage=fermenting",
        "indeterminate",
        reason="unverified",
    ),
    Story(
        "The target says in words that it was applied",
        COUNTED,
        "intent pay; attempt success; webhook pay_1 stage=applied",
        "verified_applied",
    ),
    Story(
        "A look of an unknown source may be believed when it says so",
        "An unknown source is kept.",
        "intent pay; effect pay_1 source=ledger_export",
        "verified_applied",
    ),
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
        "Two payments, and a later count of zero: that there were two stays true",
        OWN,
        "intent pay; receipt pay_1; receipt pay_2; probe 0",
        "duplicate_effect",
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
        "The lag counts from the end of the attempt, not from its start",
        SETTLED,
        "intent pay; attempt started id=a1 started_only at=0; attempt timeout id=a1 at=20; probe 0 at=10",
        "indeterminate",
        reason="settling",
    ),
    Story(
        "Three were meant and reported, and two are shown without a count",
        FEW,
        "intent book meant=3; attempt success reported=success; receipt s_1; receipt s_2",
        "indeterminate",
        reason="partial",
    ),
    Story(
        "Three were meant and reported, and a count shows two",
        FEW,
        "intent book meant=3; attempt success reported=success; receipt s_1; receipt s_2; probe 2",
        "false_success",
    ),
    Story(
        "Three were meant, a count shows two, and nobody reported success",
        FEW,
        "intent book meant=3; attempt timeout; probe 2",
        "indeterminate",
        reason="partial",
    ),
    Story(
        "Three were meant and reported, and a count that came too early shows two",
        FEW,
        "intent book meant=3; attempt success; probe 2 settle_after_s=60",
        "indeterminate",
        reason="partial",
    ),
    Story(
        "An event tells of the payment, and is none itself",
        ABOUT,
        "intent pay; receipt pay_1; webhook evt_1 about_ref=pay_1; webhook evt_2 about_ref=pay_1",
        "verified_applied",
    ),
    Story(
        "Only an event about the payment was seen",
        ABOUT,
        "intent pay; attempt timeout; webhook evt_1 about_ref=pay_1",
        "verified_applied",
        sentence="pay took effect once (pay_1), as the target itself says, although the last attempt timed out.",
    ),
    Story(
        "Only the refund was seen: what was refunded had been paid",
        "An effect that was reversed (`compensates`) existed",
        "intent pay; attempt timeout; webhook refund_1 compensates=pay_1",
        "verified_applied",
        gone=True,
    ),
    Story(
        "Two payments, one of them of another amount",
        OWN,
        "intent pay payload=A; receipt pay_1 payload=A; receipt pay_2 payload=B",
        "duplicate_effect",
    ),
    Story(
        "The retry was unsafe, and a count taken afterwards shows one payment",
        HARMLESS,
        "intent pay; attempt timeout; attempt success; probe 1",
        "verified_applied",
        findings="unsafe_retry",
        sentence=LUCKY,
    ),
    Story(
        "The retry was unsafe, and two receipts name one payment, but nobody counted",
        HARMLESS,
        "intent pay; attempt timeout; attempt success; receipt pay_1; probe pay_1",
        "unsafe_retry",
        outcome="verified_applied",
    ),
    Story(
        "The retry was unsafe, and the count was taken before it",
        HARMLESS,
        "intent pay; attempt timeout; probe 1; attempt success",
        "unsafe_retry",
        outcome="verified_applied",
    ),
    Story(
        "The retry was unsafe, and the count came within the target's lag",
        HARMLESS,
        "intent pay; attempt timeout; attempt success; probe 1 settle_after_s=60",
        "unsafe_retry",
        outcome="verified_applied",
    ),
    Story(
        "The retry was unsafe, and the count may not be believed",
        HARMLESS,
        "intent pay; attempt timeout; attempt success; receipt pay_1; probe 1 authoritative=false",
        "unsafe_retry",
        outcome="verified_applied",
    ),
    Story(
        "A count of one does not excuse a payload that nobody approved",
        HARMLESS,
        "intent pay approved payload=A; attempt success payload=B; probe 1",
        "unsafe_retry",
        outcome="verified_applied",
    ),
    Story(
        "The intent that meant two was lost, and an attempt remembers it",
        LOST_INTENT,
        "attempt success meant=2; receipt t_1; receipt t_2",
        "verified_applied",
    ),
    Story(
        "One fact says three were meant, another says two",
        LOST_INTENT,
        "intent book meant=2; attempt success meant=3; receipt s_1; receipt s_2; receipt s_3",
        "verified_applied",
    ),
    Story(
        "The provider answered from its key cache, and a webhook names the same volume",
        "an answer served from the provider's key cache",
        "intent create_volume key=k1; attempt timeout; attempt success; receipt vol_1 replayed; webhook vol_1",
        "verified_applied",
    ),
)
def test_effects(told):
    told.holds()
