"""What is one attempt, when it executed, and what it may be taken to have reported."""

from tests.stories.story import Story, stories

ONE = (
    "Same `attempt_id` or `dispatch_ref`, or same `tool_call_id` and `run_id` under different `scope`: one attempt, "
    "the earliest time, the ended view wins."
)
REPLAY = "A `replay` joins the newest earlier attempt, else it stands as one."
REPORTED = (
    "Where an executed attempt has no `reported`, a clean transport (`success`, or a 2xx other than 202) counts as "
    "success reported, for `false_success` and `verified_not_applied` only."
)
STATED = (
    "A stated `reported` always wins. Reports of attempts that did not execute don't count as success; a `claim` does."
)
TRANSPORT = "An unknown transport value is read as `started`."


@stories(
    Story(
        "One span was exported when it started and again when it ended",
        ONE,
        """intent pay; attempt started id=a1 started_only; attempt success id=a1""",
        "indeterminate",
        reason="unverified",
    ),
    Story(
        "The span that started is exported after the one that ended",
        ONE,
        "intent pay; attempt success id=a1 at=5; attempt started id=a1 started_only at=9",
        "indeterminate",
        reason="unverified",
    ),
    Story(
        "A durable engine ran one activity again, without a key",
        ONE,
        """intent pay; attempt timeout id=a1 dispatch_ref=activity-1
           attempt success id=a2 dispatch_ref=activity-1; receipt pay_1""",
        "verified_applied",
    ),
    Story(
        "Two activities are two attempts",
        ONE,
        """intent pay; attempt timeout id=a1 dispatch_ref=activity-1
           attempt success id=a2 dispatch_ref=activity-2; receipt pay_1""",
        "unsafe_retry",
    ),
    Story(
        "A span that belongs to both names shows that two names are one activity",
        ONE,
        """intent pay; attempt timeout id=a1; attempt timeout id=a2 dispatch_ref=activity-1
           attempt success id=a1 dispatch_ref=activity-1; receipt pay_1""",
        "verified_applied",
    ),
    Story(
        "Two instrumentations saw one call",
        ONE,
        """intent pay; attempt success id=a1 scope=agent tool_call_id=c1 run_id=r1
           attempt success id=a2 scope=httpx tool_call_id=c1 run_id=r1; receipt pay_1""",
        "verified_applied",
    ),
    Story(
        "One instrumentation saw two calls under one name",
        ONE,
        """intent pay; attempt timeout id=a1 scope=agent tool_call_id=c1 run_id=r1
           attempt success id=a2 scope=agent tool_call_id=c1 run_id=r1; receipt pay_1""",
        "unsafe_retry",
    ),
    Story(
        "Two instrumentations saw two calls: they pair up in order, and stay two",
        ONE,
        """intent pay; attempt timeout id=a1 scope=agent tool_call_id=c1 run_id=r1
           attempt timeout id=b1 scope=httpx tool_call_id=c1 run_id=r1
           attempt success id=a2 scope=agent tool_call_id=c1 run_id=r1
           attempt success id=b2 scope=httpx tool_call_id=c1 run_id=r1; receipt pay_1""",
        "unsafe_retry",
    ),
    Story(
        "The same call in another run is another attempt",
        ONE,
        """intent pay; attempt timeout id=a1 scope=agent tool_call_id=c1 run_id=r1
           attempt success id=a2 scope=httpx tool_call_id=c1 run_id=r2; receipt pay_1""",
        "unsafe_retry",
    ),
    Story(
        "The earliest view counts for the life of a key",
        ONE,
        """intent pay key=k1 key_ttl_s=60; attempt timeout id=a1 at=0
           attempt success id=a2 at=70; attempt started id=a2 started_only at=50; receipt pay_1""",
        "verified_applied",
    ),
    Story(
        "A workflow was replayed, and its call was seen again",
        REPLAY,
        "intent pay; attempt success id=a1; attempt success id=a2 replay; receipt pay_1",
        "verified_applied",
    ),
    Story(
        "A replay says success, where the attempt itself timed out",
        REPLAY,
        "intent pay; attempt timeout id=a1; attempt success id=a2 replay; probe 0",
        "verified_not_applied",
    ),
    Story(
        "Two attempts and a replay of the newer one",
        REPLAY,
        """intent pay; attempt timeout id=a1 key=k1; attempt timeout id=a2 key=k1
           attempt success id=a3 key=k2 replay; receipt pay_1""",
        "verified_applied",
    ),
    Story(
        "Only the replay was seen",
        REPLAY,
        "intent pay; attempt success replay",
        "indeterminate",
        reason="unverified",
    ),
    Story(
        "The replay comes before another attempt, and so is one of its own",
        REPLAY,
        "intent pay; attempt timeout replay; attempt success; receipt pay_1",
        "unsafe_retry",
    ),
    Story(
        "Nothing was reported, the transport was clean, and the target holds nothing",
        REPORTED,
        "intent pay; attempt 201; probe 0",
        "false_success",
    ),
    Story(
        "Nothing was reported, the provider answered 202, and the target holds nothing",
        REPORTED,
        "intent pay; attempt 202; probe 0",
        "verified_not_applied",
    ),
    Story(
        "Nothing was reported, and an exception contradicts the clean end",
        REPORTED,
        "intent pay; attempt success exception_event; probe 0",
        "verified_not_applied",
    ),
    Story(
        "Nothing was reported, and the call timed out",
        REPORTED,
        "intent pay; attempt timeout; probe 0",
        "verified_not_applied",
    ),
    Story(
        "The tool told its caller nothing at all",
        STATED,
        "intent pay; attempt success reported=absent; probe 0",
        "verified_not_applied",
    ),
    Story(
        "The call timed out, and the tool told its caller success",
        STATED,
        "intent pay; attempt timeout reported=success; probe 0",
        "false_success",
    ),
    Story(
        "The tool said success for a call that never left",
        STATED,
        "intent pay; attempt success reported=success executed=false proof=skipped_final_result; probe 0",
        "verified_not_applied",
    ),
    Story(
        "The assistant said done for a call that failed",
        STATED,
        "intent pay; attempt 503; claim success; probe 0",
        "false_success",
    ),
    Story(
        "The assistant said that it failed",
        STATED,
        "intent pay; attempt 503; claim error; probe 0",
        "verified_not_applied",
    ),
    Story(
        "The provider answered 409, and nobody says that it did nothing",
        "Without `executed: false` a 4xx counts as executed, outcome unknown (`ambiguous`).",
        "intent pay; attempt 409",
        "indeterminate",
        reason="ambiguous",
        sentence=(
            "Nobody knows whether pay took effect: "
            "the last attempt came back with HTTP 409, and the target has not been asked."
        ),
    ),
    Story(
        "The retry after an unproved 400 has another key",
        "Without `executed: false` a 4xx counts as executed, outcome unknown (`ambiguous`).",
        "intent pay; attempt 400 key=k1; attempt success key=k2; receipt pay_1",
        "unsafe_retry",
    ),
    Story(
        "The transport says a word that nobody knows",
        TRANSPORT,
        "intent pay; attempt transport=carrier_pigeon",
        "indeterminate",
        reason="ambiguous",
        sentence=(
            "Nobody knows whether pay took effect: "
            "nothing says how the last attempt ended, and the target has not been asked."
        ),
    ),
)
def test_attempts(told):
    told.holds()
