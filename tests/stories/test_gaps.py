"""What was not seen, and what only reads."""

from tests.stories.story import Story, stories

GAP = (
    "A `gap` touches every operation without facts that name another process; it changes only the reason, except that "
    '"every attempt did nothing" can\'t be proved under it.'
)
READ = "An operation is a read only if all its intents say `side_effect: false`; it then has no findings."


@stories(
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
def test_gaps(told):
    told.holds()
