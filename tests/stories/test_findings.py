"""Was the way there safe? Keys, repeats, approvals, and results that are not what was asked for."""

from tests.stories.story import Story, stories

CONFLICT = (
    "one idempotency key in one key scope with two comparable payload hashes, in one operation or across operations; "
    "attempts that were never sent (`executed: false` with a proof other than `provider_rejected`) don't count"
)
ONLY_ATTEMPTS = (
    "Only attempts use a key: an intent's own hash and key are never one side of a `key_conflict`. "
    "Every operation that used the key gets the finding."
)
RETRY = (
    "executed again under another key or none after an executed attempt, unless trusted as idempotent; a client's own "
    "resend without a key; the same key after the provider forgot it; an executed payload that is not the approved one"
)
COMPARED = (
    "Each executed attempt is compared with all earlier executed attempts of its operation for `unsafe_retry`; "
    "not across operations of one `intent_ref`."
)
TTL = "`key_ttl_s` counts from the first executed attempt under that key and scope."
HINT = "A trusted hint excuses repeats, never an unapproved payload."
MISMATCH = (
    "an effect exists and the outcome contract looked at it and said no (wrong project, never became ready); "
    "the newest look by the target's own clock counts"
)
INHERITED = (
    "An absent `idempotency_key` or `key_scope` on an attempt is the intent's; an explicit null is none. "
    "No scope anywhere is one common scope."
)


@stories(
    Story(
        "One key went out with two amounts",
        CONFLICT,
        "intent pay key=k1 payload=A; attempt timeout payload=A; attempt success payload=B; receipt pay_1 payload=A",
        "key_conflict",
        outcome="verified_applied",
        sentence="pay used one idempotency key for two different requests.",
    ),
    Story(
        "One key went out with the requests of two operations",
        CONFLICT,
        """intent create key=k1; attempt success payload=A
           intent pay key=k1 op=op-2; attempt 400 payload=B op=op-2""",
        "key_conflict",
        outcome="indeterminate",
        reason="unverified",
        sentence="create used one idempotency key for two different requests, one of them in another operation.",
        others=(("op-2", "key_conflict"),),
    ),
    Story(
        "The second request was stopped before it left",
        CONFLICT,
        """intent pay key=k1; attempt success payload=A; receipt pay_1
           attempt error payload=B executed=false proof=argument_validation""",
        "verified_applied",
    ),
    Story(
        "The provider refused the second request, so it had seen the key",
        CONFLICT,
        """intent pay key=k1; attempt success payload=A; receipt pay_1
           attempt 422 payload=B executed=false proof=provider_rejected""",
        "key_conflict",
    ),
    Story(
        "The intent names another amount than the one attempt",
        ONLY_ATTEMPTS,
        "intent pay key=k1 payload=A; attempt success payload=B",
        "indeterminate",
        reason="unverified",
    ),
    Story(
        "A third operation used the key, and its own request was never hashed",
        ONLY_ATTEMPTS,
        """intent pay key=k1; attempt success
           attempt success op=op-2 key=k1 payload=A; attempt success op=op-3 key=k1 payload=B""",
        "key_conflict",
        others=(("op-2", "key_conflict"), ("op-3", "key_conflict")),
    ),
    Story(
        "The same key in two accounts",
        "Keys of two scopes never meet.",
        "attempt success key=k1 key_scope=eu payload=A; attempt success op=op-2 key=k1 key_scope=us payload=B",
        "indeterminate",
        reason="unverified",
    ),
    Story(
        "The hash of the second request is of half of it",
        "A hash marked absent or truncated is never compared.",
        """intent pay key=k1; attempt timeout payload=A
           attempt success payload=B payload_state=truncated; receipt pay_1""",
        "verified_applied",
    ),
    Story(
        "The hash of the second request is marked absent",
        "A hash marked absent or truncated is never compared.",
        "intent pay key=k1; attempt timeout payload=A; attempt success payload=B payload_state=absent; receipt pay_1",
        "verified_applied",
    ),
    Story(
        "The second hash was made with a secret",
        "the two kinds are never compared with each other",
        "intent pay key=k1; attempt timeout payload=A; attempt success payload=hmac-sha256:B; receipt pay_1",
        "verified_applied",
    ),
    Story(
        "Both attempts have key and account from the intent, and another operation meets them there",
        INHERITED,
        """intent pay key=k1 key_scope=eu; attempt success payload=A
           attempt success op=op-2 key=k1 key_scope=eu payload=B""",
        "key_conflict",
        others=(("op-2", "key_conflict"),),
    ),
    Story(
        "The attempt says that it had no key, whatever the intent says",
        INHERITED,
        "intent pay key=k1; attempt success key=null payload=A; attempt success op=op-2 key=k1 payload=B",
        "indeterminate",
        reason="unverified",
    ),
    Story(
        "The attempt says that its key has no account, whatever the intent says",
        INHERITED,
        """intent pay key=k1 key_scope=eu; attempt success key_scope=null payload=A
           attempt success op=op-2 key=k1 payload=B""",
        "key_conflict",
    ),
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
    Story(
        "The ticket exists, in the wrong project",
        MISMATCH,
        "intent create_ticket; attempt success; receipt t_1; probe t_1 conforms=false",
        "outcome_mismatch",
        outcome="verified_applied",
        sentence="create_ticket took effect (t_1), and the result is not what was asked for.",
    ),
    Story(
        "The server was not ready at first, and is now",
        MISMATCH,
        "intent create_vm; receipt vm_1; probe vm_1 conforms=false at=10; probe vm_1 conforms at=20",
        "verified_applied",
    ),
    Story(
        "The older look arrives last, and the newest still counts",
        MISMATCH,
        "intent create_vm; receipt vm_1; probe vm_1 conforms at=20; probe vm_1 conforms=false at=10",
        "verified_applied",
    ),
    Story(
        "One of two tickets is in the wrong project, and a look at the other is newer",
        MISMATCH,
        """intent create_tickets meant=2; receipt t_1; receipt t_2
           probe t_1 conforms=false; probe t_2 conforms""",
        "outcome_mismatch",
    ),
    Story(
        "What does not conform belongs to another operation",
        MISMATCH,
        """intent create_vm; attempt timeout; receipt vm_1 replayed conforms=false
           intent create_vm op=op-2; receipt vm_1 op=op-2""",
        "false_success",
        others=(("op-2", "verified_applied"),),
    ),
    Story(
        "A cached list says that it does not conform",
        MISMATCH,
        "intent create_vm; receipt vm_1; probe vm_1 conforms=false authoritative=false",
        "verified_applied",
    ),
    Story(
        "Nobody looked whether it conforms",
        "absent: nobody looked",
        "intent create_vm; receipt vm_1",
        "verified_applied",
    ),
    Story(
        "Two payments, of which one does not conform, after a retry under another key with another amount",
        "Findings are kept in full, whatever the verdict is.",
        """intent pay; attempt timeout key=k1 payload=A; attempt timeout key=k2 payload=A
           attempt success key=k2 payload=B; receipt pay_1; receipt pay_2; probe pay_2 conforms=false""",
        "key_conflict",
        outcome="duplicate_effect",
        findings="unsafe_retry outcome_mismatch",
    ),
)
def test_finding(told):
    told.holds()
