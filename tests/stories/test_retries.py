"""Was it executed again where the provider could not know that it was a repeat, or without approval?"""

from tests.stories.story import Story, stories

RETRY = (
    "executed again under another key or none after an executed attempt, unless trusted as idempotent; a client's own "
    "resend without a key; the same key after the provider forgot it; an executed payload that is not the approved one"
)
COMPARED = (
    "Each executed attempt is compared with all earlier executed attempts of its operation for `unsafe_retry`; "
    "not across operations of one `intent_ref`."
)
TTL = "`key_ttl_s` counts from the first executed attempt under that key and scope."
UNSEEN = "Silence is never evidence of absence."
HINT = "A trusted hint excuses repeats, never an unapproved payload."


@stories(
    Story(
        "The model made a new key for the retry",
        RETRY,
        "intent pay; attempt timeout key=k1; attempt success key=k2; receipt pay_1",
        "unsafe_retry",
        outcome="verified_applied",
        sentence=(
            "pay was executed again under another idempotency key; nothing keeps the provider from applying it twice."
        ),
    ),
    Story(
        "The retry went out without a key",
        RETRY,
        "intent pay; attempt timeout key=k1; attempt success key=null",
        "unsafe_retry",
        reason="unverified",
        outcome="indeterminate",
        sentence=(
            "pay was executed again without an idempotency key that both attempts share; "
            "nothing keeps the provider from applying it twice."
        ),
    ),
    Story(
        "A process stated its request and was killed, before or after it left, and another one used a new key",
        RETRY,
        "intent pay; attempt started key=k1; attempt success key=k2; receipt pay_1",
        "unsafe_retry",
        outcome="verified_applied",
    ),
    Story(
        "Neither attempt had a key",
        RETRY,
        "intent pay; attempt timeout; attempt timeout",
        "unsafe_retry",
        outcome="indeterminate",
        reason="ambiguous",
    ),
    Story(
        "The retry used the key in another account",
        RETRY,
        "intent pay key=k1; attempt timeout key_scope=eu; attempt success key_scope=us; receipt pay_1",
        "unsafe_retry",
    ),
    Story(
        "The client sent one request twice by itself, without a key",
        RETRY,
        "intent pay; attempt success wire_requests=2; receipt pay_1",
        "unsafe_retry",
        sentence="pay was sent more than once by the client itself, without an idempotency key.",
    ),
    Story(
        "The client sent one request twice by itself, under a key",
        RETRY,
        "intent pay key=k1; attempt success wire_requests=2; receipt pay_1",
        "verified_applied",
    ),
    Story(
        "The retry came after the provider had forgotten the key",
        RETRY,
        "intent pay key=k1 key_ttl_s=60; attempt timeout at=0; attempt success at=61; receipt pay_1",
        "unsafe_retry",
        sentence=(
            "pay was executed again after the provider forgot its idempotency key; "
            "nothing keeps the provider from applying it twice."
        ),
    ),
    Story(
        "Only the first attempt says how long the provider remembers the key",
        RETRY,
        "attempt timeout at=0 key=k1 key_ttl_s=60; attempt success at=61 key=k1; receipt pay_1",
        "unsafe_retry",
    ),
    Story(
        "The retry came just before the provider forgot the key",
        TTL,
        "intent pay key=k1 key_ttl_s=60; attempt timeout at=0; attempt success at=60; receipt pay_1",
        "verified_applied",
    ),
    Story(
        "Each retry was within a minute of the last, but not of the first",
        TTL,
        "intent pay key=k1 key_ttl_s=60; attempt timeout at=0; attempt timeout at=40; attempt success at=80",
        "unsafe_retry",
        outcome="indeterminate",
        reason="unverified",
    ),
    Story(
        "The first attempt under the key never left, so the key's life began later",
        TTL,
        """intent pay key=k1 key_ttl_s=60
           attempt error at=0 executed=false proof=argument_validation
           attempt timeout at=30; attempt success at=80; receipt pay_1""",
        "verified_applied",
    ),
    Story(
        "The attempt under another key was stopped, and the next has the first one's key",
        COMPARED,
        """intent pay; attempt timeout key=k1
           attempt error key=k2 executed=false; attempt success key=k1; receipt pay_1""",
        "verified_applied",
    ),
    Story(
        "The third attempt is like the second and unlike the first",
        COMPARED,
        "intent pay; attempt timeout key=k1; attempt timeout key=k2; attempt success key=k2; receipt pay_1",
        "unsafe_retry",
    ),
    Story(
        "Two operations with one business intent have a key each",
        COMPARED,
        """intent pay key=k1 intent_ref=order-1; attempt timeout
           intent pay op=op-2 key=k2 intent_ref=order-1; attempt success op=op-2; receipt pay_1 op=op-2""",
        "indeterminate",
        reason="ambiguous",
        others=(("op-2", "verified_applied"),),
    ),
    Story(
        "It was sent again, and nobody could see the keys",
        UNSEEN,
        "intent pay; attempt timeout key_state=unseen; attempt success key_state=unseen",
        "indeterminate",
        reason="telemetry_gap",
        sentence=(
            "Nobody knows whether pay took effect: it was sent more than once, "
            "and its idempotency keys could not be seen."
        ),
    ),
    Story(
        "It was sent again, nobody could see the keys, and the target holds one",
        UNSEEN,
        "intent pay; attempt timeout key_state=unseen; attempt success key_state=unseen; receipt pay_1",
        "verified_applied",
    ),
    Story(
        "Of three attempts the key of one could not be seen, and the others have two",
        UNSEEN,
        "intent pay; attempt timeout key=k1; attempt timeout key_state=unseen; attempt success key=k2; receipt pay_1",
        "unsafe_retry",
    ),
    Story(
        "A key that could not be seen is the one that the intent names",
        "An absent `idempotency_key` or `key_scope` on an attempt is the intent's; an explicit null is none.",
        "intent pay key=k1; attempt timeout key_state=unseen; attempt success key=k1; receipt pay_1",
        "verified_applied",
    ),
    Story(
        "The requests of one attempt were seen with a key, and no request of the other",
        UNSEEN,
        "intent pay; attempt timeout key=k1; attempt success key_state=no_request; receipt pay_1",
        "verified_applied",
    ),
    Story(
        "A tool ran twice, and neither time was a request seen",
        RETRY,
        "intent pay; attempt timeout key_state=no_request; attempt success key_state=no_request; receipt pay_1",
        "unsafe_retry",
    ),
    Story(
        "No request of one attempt was seen, and the other is known to have had no key",
        RETRY,
        "intent pay; attempt timeout key=null; attempt success key_state=no_request; receipt pay_1",
        "unsafe_retry",
    ),
    Story(
        "One view of an attempt says that it had no key",
        "An absent `idempotency_key` or `key_scope` on an attempt is the intent's; an explicit null is none.",
        """intent pay; attempt started id=a1 key_state=unseen; attempt timeout id=a1 key=null
           attempt success id=a2 key=null; receipt pay_1""",
        "unsafe_retry",
    ),
    Story(
        "The client sent one request twice by itself, under a key or not",
        UNSEEN,
        "intent pay; attempt success wire_requests=2 key_state=unseen",
        "indeterminate",
        reason="telemetry_gap",
    ),
    Story(
        "Nobody could see the key of the only attempt",
        UNSEEN,
        "intent pay; attempt success key_state=unseen",
        "indeterminate",
        reason="unverified",
    ),
    Story(
        "Nobody could see the keys of a tool that the operator trusts to be idempotent",
        UNSEEN,
        "intent pay hint=true hint_trusted; attempt timeout key_state=unseen; attempt success key_state=unseen",
        "indeterminate",
        reason="unverified",
    ),
    Story(
        "The operator trusts the tool to be idempotent",
        "unless trusted as idempotent",
        "intent set_date hint=true hint_trusted; attempt timeout; attempt success wire_requests=3; probe task_4",
        "verified_applied",
    ),
    Story(
        "A stranger's tool says that it is idempotent",
        "tool annotations such as `idempotentHint`; believed only where the operator says so",
        "intent set_date hint=true; attempt timeout; attempt success; probe task_4",
        "unsafe_retry",
    ),
    Story(
        "A person approved one amount, and another went out",
        RETRY,
        "intent pay key=k1 payload=A approved; attempt success payload=B; receipt pay_1 payload=B",
        "unsafe_retry",
        outcome="indeterminate",
        reason="receipt_mismatch",
        sentence="pay executed another request than the one that was approved.",
    ),
    Story(
        "The approved amount went out",
        RETRY,
        "intent pay key=k1 payload=A approved; attempt success payload=A; receipt pay_1 payload=A",
        "verified_applied",
    ),
    Story(
        "Two amounts were approved, and the second went out",
        RETRY,
        "intent pay payload=A approved; intent pay payload=B approved; attempt success payload=B; receipt pay_1",
        "verified_applied",
    ),
    Story(
        "A trusted tool executed what nobody approved",
        HINT,
        "intent pay payload=A approved hint=true hint_trusted; attempt success payload=B; receipt pay_1",
        "unsafe_retry",
    ),
    Story(
        "The provider refused the first request, and the next had a new key",
        "A new key after a definite rejection (`executed: false`) is safe.",
        "intent pay; attempt 422 key=k1 executed=false proof=provider_rejected; attempt success key=k2; receipt pay_1",
        "verified_applied",
    ),
    Story(
        "A guard blocked the blind retry",
        "A repeat that a guard blocked is no attempt.",
        "intent pay; attempt timeout; attempt error executed=false proof=blocked_by_guard; probe pay_1",
        "verified_applied",
    ),
    Story(
        "The retry had the same key and the same amount, in time",
        "The same key and the same payload within the key's lifetime is what a retry should look like, "
        "and is no finding.",
        "intent pay key=k1 key_ttl_s=60; attempt timeout payload=A; attempt success payload=A; receipt pay_1",
        "verified_applied",
    ),
)
def test_retry(told):
    told.holds()
