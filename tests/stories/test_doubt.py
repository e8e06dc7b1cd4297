"""Why nobody knows: each reason, which of two is told, and what a known gap does."""

from tests.stories.story import Story, stories

REASONS = (
    "Reasons, the first that applies: `identity_unclear`, `unreadable`, `receipt_mismatch`, `partial`, "
    "`awaiting_approval`, `accepted`, `settling`, `telemetry_gap`, `ambiguous`, `unverified`."
)
AMBIGUOUS = "`ambiguous` (timeout, cancelled, 5xx, killed: pages after its deadline)"
IDENTITY = (
    "A derived id is not unique when its intents differ in comparable hash, tool or run: `identity_unclear`, "
    "decided before counting, and no finding is raised."
)
GAP = (
    "A `gap` touches every operation without facts that name another process; it changes only the reason, except that "
    '"every attempt did nothing" can\'t be proved under it.'
)
READ = "An operation is a read only if all its intents say `side_effect: false`; it then has no findings."
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
    Story("Nothing but the intent", "A bare intent is `ambiguous`.", "intent pay", "indeterminate", reason="ambiguous"),
    Story(
        "Spans of another process were lost",
        GAP,
        "intent pay process=w1; attempt timeout process=w1; gap spans_dropped process=w2",
        "indeterminate",
        reason="ambiguous",
    ),
    Story(
        "Spans of this process were lost",
        GAP,
        "intent pay process=w1; attempt timeout process=w1; gap spans_dropped process=w1",
        "indeterminate",
        reason="telemetry_gap",
    ),
    Story(
        "Two processes worked on it, and spans of one were lost",
        GAP,
        "intent pay process=w1; attempt timeout process=w2; gap spans_dropped process=w1",
        "indeterminate",
        reason="telemetry_gap",
    ),
    Story(
        "Spans were lost, and the receipt is there all the same",
        GAP,
        "intent pay; attempt timeout; receipt pay_1; gap spans_dropped",
        "verified_applied",
    ),
    Story(
        "Spans were lost, so an attempt may have gone through that nobody saw",
        GAP,
        "intent pay; attempt error executed=false proof=argument_validation; gap spans_dropped",
        "indeterminate",
        reason="telemetry_gap",
    ),
    Story(
        "Spans were lost, and the target holds nothing all the same",
        GAP,
        "intent pay; attempt error executed=false proof=argument_validation; probe 0; gap spans_dropped",
        "verified_not_applied",
    ),
    Story(
        "This is the third attempt, and the first two were never seen",
        "an earlier attempt was never seen",
        "intent pay; attempt success attempt_no=3",
        "indeterminate",
        reason="telemetry_gap",
    ),
    Story(
        "One of two intents says that it changes something",
        READ,
        "intent save side_effect=false; intent save side_effect=true; receipt doc_1; receipt doc_2",
        "duplicate_effect",
    ),
    Story(
        "A read was repeated under one key with two questions",
        READ,
        "intent find side_effect=false; attempt success key=k1 payload=A; attempt success key=k1 payload=B",
        "healthy",
    ),
)
def test_doubt(told):
    told.holds()
