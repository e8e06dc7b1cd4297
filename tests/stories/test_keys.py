"""One key, two requests: in one operation and across operations, in one account and in two."""

from tests.stories.story import Story, stories

CONFLICT = (
    "one idempotency key in one key scope with two comparable payload hashes, in one operation or across operations; "
    "attempts that were never sent (`executed: false` with a proof other than `provider_rejected`) don't count"
)
ONLY_ATTEMPTS = (
    "Only attempts use a key: an intent's own hash and key are never one side of a `key_conflict`. "
    "Every operation that used the key gets the finding."
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
)
def test_key(told):
    told.holds()
