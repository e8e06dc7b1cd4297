"""What a look counts as, and what looks add up to."""

from tests.stories.story import Story, stories

COUNTED = "Only authoritative, applied effects count."
FEW = (
    "Too few is shown only by a probe's count; fewer refs than expected without such a count is `partial`, "
    "whoever reported success."
)
ABOUT = "`about_ref` makes the event a sighting of that object; its own ref is never an effect."
OWN = (
    "All own effects count towards duplicates, mismatching payload or not; "
    "`receipt_mismatch` only while the number isn't exceeded."
)
LOST_INTENT = "default 1; the largest seen counts"


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
        "Two payments, and a later count of zero: that there were two stays true",
        OWN,
        "intent pay; receipt pay_1; receipt pay_2; probe 0",
        "duplicate_effect",
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
