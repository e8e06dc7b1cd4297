"""A retry was unsafe, and did it do harm?"""

from tests.stories.story import Story, stories

HARMLESS = (
    "The exception for a harmless `unsafe_retry` needs a probe with `effect_ref: null`, authoritative, "
    "settled after the last executed attempt."
)
LUCKY = (
    "pay took effect once, as the target itself says. "
    "It was repeated unsafely, and a count taken afterwards shows that no harm was done."
)


@stories(
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
        "The retry was unsafe, and one of another request was counted",
        HARMLESS,
        """intent pay payload=A; attempt timeout payload=A; attempt success payload=A; receipt pay_1 payload=A
           probe 1 payload=B""",
        "unsafe_retry",
        outcome="verified_applied",
    ),
)
def test_harmless(told):
    told.holds()
