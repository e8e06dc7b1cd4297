"""What does the world hold? Each outcome, and what can never be taken for one."""

from tests.stories.story import Story, stories

APPLIED = "exactly `expected_count` authoritative effects, none of them contradicting the intent"
NOT_APPLIED = "settled, authoritative absence and nobody reported success; or every attempt provably did nothing"
DUPLICATE = "more distinct effects than expected"
FALSE = (
    "success was reported, and settled authoritative evidence shows none or too few; "
    "or the only effect shown belongs to another operation"
)
SILENCE = (
    "Silence is never evidence of absence. A missing span, a failed probe or an unauthoritative zero leaves doubt."
)
KINDS = (
    'A claim ("done") is evidence of activity, a transport success is evidence of transport; '
    "only an effect is evidence of an effect."
)


@stories(
    Story(
        "A list is read three times and one of the reads times out",
        "the operation declares no side effect",
        "intent list_tasks side_effect=false; attempt success; attempt timeout; attempt success",
        "healthy",
        sentence="list_tasks only reads; repeating it is fine.",
    ),
    Story(
        "One payment was meant, and the provider holds one",
        APPLIED,
        "intent charge_card key=k1 payload=A; attempt success payload=A; receipt pay_1 payload=A",
        "verified_applied",
        sentence="charge_card took effect once (pay_1), as the target itself says.",
    ),
    Story(
        "Three seats were meant, and three are held",
        APPLIED,
        "intent book meant=3; attempt success; receipt seat_1; receipt seat_2; receipt seat_3",
        "verified_applied",
        sentence="book took effect 3 times (seat_1, seat_2, seat_3), as the target itself says.",
    ),
    Story(
        "The response was lost, and a look shows that the payment went through",
        APPLIED,
        "intent charge_card key=k1; attempt timeout; probe pay_1",
        "verified_applied",
        sentence=(
            "charge_card took effect once (pay_1), as the target itself says, although the last attempt timed out."
        ),
    ),
    Story(
        "The request was lost, and the target holds nothing",
        NOT_APPLIED,
        "intent charge_card key=k1; attempt timeout; probe 0",
        "verified_not_applied",
        sentence="charge_card did not take effect: the target was asked late enough and holds none.",
    ),
    Story(
        "The tool said that it failed, and the target agrees",
        NOT_APPLIED,
        "intent create_event; attempt success reported=error; probe 0",
        "verified_not_applied",
    ),
    Story(
        "The only request that was seen never left, and the target promised something",
        "Silence is never evidence of absence.",
        """intent send_mail; attempt error executed=false proof=refused_stream reported=success
           receipt mail_1 stage=accepted""",
        "indeterminate",
        reason="accepted",
    ),
    Story(
        "Both calls were stopped by the check of their arguments",
        NOT_APPLIED,
        """intent send_mail
           attempt error executed=false proof=argument_validation
           attempt error executed=false proof=argument_validation""",
        "verified_not_applied",
        sentence="send_mail did not take effect: no attempt was carried out (argument validation).",
    ),
    Story(
        "One call was stopped, another may have gone through",
        NOT_APPLIED,
        "intent send_mail; attempt error executed=false proof=argument_validation; attempt timeout",
        "indeterminate",
        reason="ambiguous",
    ),
    Story(
        "The response was lost, and the retry charged a second time",
        DUPLICATE,
        "intent charge_card key=k1; attempt timeout; attempt success; receipt pay_2; webhook pay_1",
        "duplicate_effect",
        sentence="charge_card took effect twice where 1 was meant (pay_1, pay_2).",
    ),
    Story(
        "A look counts two orders where one was meant",
        "distinct `effect_ref`, or a probe's count",
        "intent create_order key=k1; attempt success; probe 2",
        "duplicate_effect",
        sentence="create_order took effect twice where 1 was meant.",
    ),
    Story(
        "The tool said done, and the target holds nothing",
        FALSE,
        "intent send_mail; attempt success reported=success; probe 0",
        "false_success",
        sentence="send_mail was reported done, and the target holds nothing.",
    ),
    Story(
        "Two tickets were meant, the tool said done, and a count shows one",
        FALSE,
        "intent create_tickets meant=2; attempt success; receipt t_1; probe 1",
        "false_success",
        sentence="create_tickets was reported done, and the target holds 1 of 2.",
    ),
    Story(
        "The provider answered with an object that another operation had made",
        FALSE,
        """intent create_vm key=k1; attempt success; receipt vm_1 replayed
           intent create_vm op=op-2 key=k1; attempt success op=op-2; receipt vm_1 op=op-2""",
        "false_success",
        sentence="create_vm was reported done, and the only effect shown belongs to another operation.",
        others=(("op-2", "verified_applied"),),
    ),
    Story(
        "It came back clean, and nobody knows more",
        "everything else, with a `reason`",
        "intent charge_card key=k1; attempt success",
        "indeterminate",
        reason="unverified",
        sentence=(
            "Nobody knows whether charge_card took effect: "
            "it came back clean, and no receipt or look at the target confirms it."
        ),
    ),
    Story(
        "The intent was recorded, and no call was ever seen",
        SILENCE,
        "intent charge_card",
        "indeterminate",
        reason="ambiguous",
        sentence="Nobody knows whether charge_card took effect: no attempt and no effect is on record.",
    ),
    Story(
        "The look at the target failed",
        SILENCE,
        "intent charge_card; attempt timeout; probe",
        "indeterminate",
        reason="ambiguous",
    ),
    Story(
        "A cached list shows nothing",
        SILENCE,
        "intent charge_card; attempt timeout; probe 0 authoritative=false",
        "indeterminate",
        reason="ambiguous",
    ),
    Story(
        "A cached list shows nothing, though the tool said done",
        SILENCE,
        "intent charge_card; attempt success reported=success; probe 0 authoritative=false",
        "indeterminate",
        reason="unverified",
    ),
    Story(
        "The assistant says done, and no call was ever seen",
        KINDS,
        "intent charge_card; claim success",
        "indeterminate",
        reason="ambiguous",
    ),
    Story(
        "A receipt without authority shows nothing",
        KINDS,
        "intent charge_card; attempt success; receipt pay_1 authoritative=false",
        "indeterminate",
        reason="unverified",
    ),
    Story(
        "Nobody declared whether the tool changes anything",
        "Whether a tool has a side effect is declared, never guessed from silence: unknown counts as yes, "
        "and then a clean call without a receipt is `unverified`.",
        "attempt success",
        "indeterminate",
        reason="unverified",
    ),
    Story(
        "The receipt and the webhook name the same payment",
        "Two observations of one `effect_ref` are one effect.",
        "intent charge_card; attempt success; receipt pay_1; webhook pay_1",
        "verified_applied",
    ),
    Story(
        "Three attempts under one key made one payment",
        "Attempts are never counted as effects.",
        "intent charge_card key=k1; attempt timeout; attempt timeout; attempt success; receipt pay_1",
        "verified_applied",
    ),
    Story(
        "A whole run promised one report, and the strongest read finds it",
        "A whole run's promised result is an operation too: its intent is recorded before the run, its receipt is the "
        "strongest deterministic read.",
        "intent weekly_report; probe report_7",
        "verified_applied",
    ),
)
def test_outcome(told):
    told.holds()
