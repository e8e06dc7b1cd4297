"""Why nobody knows: each reason."""

from tests.stories.story import Story, stories

AMBIGUOUS = "`ambiguous` (timeout, cancelled, 5xx, killed: pages after its deadline)"
IDENTITY = (
    "A derived id is not unique when its intents differ in comparable hash, tool or run: `identity_unclear`, "
    "decided before counting, and no finding is raised."
)
UNREADABLE = "`unreadable`: a line of this operation could not be parsed, or a rule broke."


@stories(
    Story(
        "The call timed out",
        AMBIGUOUS,
        "intent pay; attempt timeout",
        "indeterminate",
        reason="ambiguous",
        sentence="Nobody knows whether pay took effect: the last attempt timed out, and the target has not been asked.",
    ),
    Story(
        "The call timed out, and a guard stopped the next",
        AMBIGUOUS,
        "intent pay; attempt timeout; attempt error executed=false proof=blocked_by_guard",
        "indeterminate",
        reason="ambiguous",
        sentence="Nobody knows whether pay took effect: the last attempt timed out, and the target has not been asked.",
    ),
    Story(
        "The call timed out, and a look may not be believed",
        AMBIGUOUS,
        "intent pay; attempt timeout; probe 0 authoritative=false",
        "indeterminate",
        reason="ambiguous",
        sentence=(
            "Nobody knows whether pay took effect: "
            "the last attempt timed out, and what is known of the target does not settle it."
        ),
    ),
    Story(
        "All that is known is a receipt that may not be believed",
        AMBIGUOUS,
        "receipt pay_1 authoritative=false",
        "indeterminate",
        reason="ambiguous",
        sentence=(
            "Nobody knows whether the operation took effect: "
            "no attempt is on record, and what is known of the target does not settle it."
        ),
    ),
    Story("The call was cancelled", AMBIGUOUS, "intent pay; attempt cancelled", "indeterminate", reason="ambiguous"),
    Story("The provider answered 503", AMBIGUOUS, "intent pay; attempt 503", "indeterminate", reason="ambiguous"),
    Story(
        "The process was killed in the middle of the call",
        AMBIGUOUS,
        "intent pay; attempt started started_only",
        "indeterminate",
        reason="ambiguous",
    ),
    Story(
        "The call came back clean, but the tool reported an error",
        AMBIGUOUS,
        "intent pay; attempt success reported=error",
        "indeterminate",
        reason="ambiguous",
    ),
    Story(
        "The provider took the request and promised to do it",
        "`accepted` (202)",
        "intent send_mail; attempt 202",
        "indeterminate",
        reason="accepted",
        sentence=(
            "Nobody knows whether send_mail took effect: "
            "the provider accepted the request and has not said that it is done."
        ),
    ),
    Story(
        "The tool told its caller that the request was accepted",
        "`accepted` (202)",
        "intent send_mail; attempt success reported=accepted",
        "indeterminate",
        reason="accepted",
    ),
    Story(
        "The provider's record says accepted, and no more",
        "`accepted` is not `applied`",
        "intent send_mail; attempt success; receipt msg_1 stage=accepted",
        "indeterminate",
        reason="accepted",
    ),
    Story(
        "The payment waits for a person's approval",
        "If the newest attempt is `deferred_for_approval` and none was executed: `awaiting_approval`.",
        "intent pay; attempt error executed=false proof=deferred_for_approval",
        "indeterminate",
        reason="awaiting_approval",
    ),
    Story(
        "The payment waited for approval and was then stopped",
        "If the newest attempt is `deferred_for_approval` and none was executed: `awaiting_approval`.",
        """intent pay; attempt error executed=false proof=deferred_for_approval
           attempt error executed=false proof=blocked_by_guard""",
        "verified_not_applied",
    ),
    Story(
        "The payment waited for approval though an earlier attempt may have gone through",
        "If the newest attempt is `deferred_for_approval` and none was executed: `awaiting_approval`.",
        "intent pay key=k1; attempt timeout; attempt error executed=false proof=deferred_for_approval",
        "indeterminate",
        reason="ambiguous",
    ),
    Story(
        "The target was asked before it could be expected to know",
        "`settling`",
        "intent pay; attempt timeout; probe 0 settle_after_s=30",
        "indeterminate",
        reason="settling",
    ),
    Story(
        "Two tickets were meant, one is shown, and nobody counted",
        "`partial`",
        "intent create_tickets meant=2; attempt success; receipt t_1",
        "indeterminate",
        reason="partial",
        sentence="Nobody knows whether create_tickets took effect: 1 of 2 effects are shown.",
    ),
    Story(
        "A line about this payment could not be read",
        UNREADABLE,
        "intent pay; attempt timeout; unreadable count",
        "indeterminate",
        reason="unreadable",
    ),
    Story(
        "A line could not be read, and the receipt is there all the same",
        UNREADABLE,
        "intent pay; unreadable count; receipt pay_1",
        "verified_applied",
    ),
    Story(
        "One name was derived for a payment and a mail",
        IDENTITY,
        "intent pay id_source=tool_call_id; intent send_mail id_source=tool_call_id; attempt success",
        "indeterminate",
        reason="identity_unclear",
    ),
    Story(
        "One derived name, two amounts, two payments: nobody is accused",
        IDENTITY,
        """intent pay payload=A key=k1 id_source=tool_call_id; attempt success payload=A key=k1; receipt pay_1
           intent pay payload=B key=k1 id_source=tool_call_id; attempt success payload=B key=k1; receipt pay_2""",
        "indeterminate",
        reason="identity_unclear",
    ),
    Story(
        "One derived name in two runs",
        IDENTITY,
        "intent pay run_id=r1; intent pay run_id=r2; attempt success id_source=tool_call_id; receipt pay_1",
        "indeterminate",
        reason="identity_unclear",
    ),
    Story(
        "One derived name, and hashes that can't be compared",
        IDENTITY,
        """intent pay payload=A id_source=tool_call_id
           intent pay payload=hmac-sha256:B id_source=tool_call_id; receipt pay_1 payload=A""",
        "verified_applied",
    ),
    Story(
        "A declared name with two amounts is not unclear",
        IDENTITY,
        "intent pay payload=A id_source=declared; intent pay payload=B; receipt pay_1 payload=B",
        "verified_applied",
    ),
    Story("Nothing but the intent", "A bare intent is `ambiguous`.", "intent pay", "indeterminate", reason="ambiguous"),
)
def test_doubt(told):
    told.holds()
