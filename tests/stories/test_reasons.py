"""Of two reasons, which one is told."""

from tests.stories.story import Story, stories

REASONS = (
    "Reasons, the first that applies: `identity_unclear`, `unreadable`, `receipt_mismatch`, `partial`, "
    "`awaiting_approval`, `accepted`, `settling`, `telemetry_gap`, `ambiguous`, `unverified`."
)


@stories(
    Story(
        "The unclear name is told before the line that could not be read",
        REASONS,
        "intent pay id_source=tool_call_id; intent mail; unreadable time",
        "indeterminate",
        reason="identity_unclear",
    ),
    Story(
        "The unreadable line is told before the wrong receipt",
        REASONS,
        "intent pay payload=A; receipt pay_1 payload=B; unreadable time",
        "indeterminate",
        reason="unreadable",
    ),
    Story(
        "The wrong receipt is told before the missing second one",
        REASONS,
        "intent pay payload=A meant=2; receipt pay_1 payload=B",
        "indeterminate",
        reason="receipt_mismatch",
    ),
    Story(
        "The missing second effect is told before the promise",
        REASONS,
        "intent pay meant=2; attempt 202; receipt pay_1",
        "indeterminate",
        reason="partial",
    ),
    Story(
        "The person who is asked is told before the provider's promise",
        REASONS,
        "intent pay; attempt error executed=false proof=deferred_for_approval; receipt pay_1 stage=accepted",
        "indeterminate",
        reason="awaiting_approval",
    ),
    Story(
        "The promise is told before the look that came too early",
        REASONS,
        "intent pay; attempt 202; probe 0 settle_after_s=30",
        "indeterminate",
        reason="accepted",
    ),
    Story(
        "The look that came too early is told before the gap",
        REASONS,
        "intent pay; attempt timeout; probe 0 settle_after_s=30; gap spans_dropped",
        "indeterminate",
        reason="settling",
    ),
    Story(
        "The gap is told before the timeout",
        REASONS,
        "intent pay; attempt timeout; gap spans_dropped",
        "indeterminate",
        reason="telemetry_gap",
        sentence="Nobody knows whether pay took effect: part of its telemetry is known to be missing.",
    ),
    Story(
        "The timeout is told before the missing receipt",
        REASONS,
        "intent pay; attempt timeout; claim success",
        "indeterminate",
        reason="ambiguous",
    ),
)
def test_reasons(told):
    told.holds()
