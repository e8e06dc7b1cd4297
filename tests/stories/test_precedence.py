"""One word for all of it: the worst. Who has to act on it, and what is the next safe action."""

import pytest

from counterfoil.testing import judged
from counterfoil.verdicts import NEXT_ACTION, WORST_FIRST, Finding, Outcome, Reason, Severity, severity_of
from tests.stories.story import Story, stories

WORST = "`key_conflict` > `duplicate_effect` > `false_success` > `outcome_mismatch` > `unsafe_retry` > the outcome"
DRIFT = (
    "Payload drift under one key is decided before effects are counted, "
    "since effects of two payloads can't be added up."
)


@stories(
    Story(
        "One key for two amounts, and two payments",
        DRIFT,
        "intent pay key=k1; attempt timeout payload=A; attempt success payload=B; receipt pay_1; receipt pay_2",
        "key_conflict",
        outcome="duplicate_effect",
    ),
    Story(
        "Two payments, of which one does not conform",
        WORST,
        "intent pay; receipt pay_1; receipt pay_2; probe pay_1 conforms=false",
        "duplicate_effect",
        findings="outcome_mismatch",
    ),
    Story(
        "A count shows too few, and one of those shown does not conform",
        WORST,
        "intent book meant=3; attempt success; receipt s_1 conforms=false; probe 2",
        "false_success",
        findings="outcome_mismatch",
    ),
    Story(
        "The tool said done after two attempts without a key, and the target holds nothing",
        WORST,
        "intent pay; attempt timeout; attempt success; probe 0",
        "false_success",
        findings="unsafe_retry",
    ),
    Story(
        "The ticket is in the wrong project, after two attempts without a key",
        WORST,
        "intent create_ticket; attempt timeout; attempt success; receipt t_1 conforms=false",
        "outcome_mismatch",
        findings="unsafe_retry",
    ),
    Story(
        "The ticket is in the wrong project, and a count shows that the retry did no harm",
        "`unsafe_retry` that authoritative count proves harmless (a probe counted exactly `expected_count`) leaves the "
        "verdict at `verified_applied` and stays a finding",
        "intent create_ticket; attempt timeout; attempt success; receipt t_1 conforms=false; probe 1",
        "outcome_mismatch",
        findings="unsafe_retry",
    ),
    Story(
        "Two attempts without a key, and nobody knows what happened",
        WORST,
        "intent pay; attempt timeout; attempt timeout",
        "unsafe_retry",
        outcome="indeterminate",
        reason="ambiguous",
    ),
)
def test_precedence(told):
    told.holds()


def test_every_verdict_has_one_place():
    """A missing advice is a finding, and never the verdict."""
    assert set(WORST_FIRST) == {*Outcome, *Finding} - {Finding.UNADVISED}
    assert len(WORST_FIRST) == len(set(WORST_FIRST))


PAGES = {Finding.KEY_CONFLICT, Outcome.DUPLICATE_EFFECT, Outcome.FALSE_SUCCESS, Finding.OUTCOME_MISMATCH}


@pytest.mark.parametrize("verdict", WORST_FIRST, ids=str)
def test_what_wakes_somebody_up(verdict):
    """page: `key_conflict`, `duplicate_effect`, `false_success`, `outcome_mismatch`."""
    assert (severity_of(verdict) is Severity.PAGE) == (verdict in PAGES)


@pytest.mark.parametrize("reason", Reason, ids=str)
def test_doubt_becomes_a_ticket(reason):
    """ticket: `indeterminate` for `ambiguous` past its deadline, `telemetry_gap`. none: the rest. `unverified`, the
    everyday case, never pages."""
    in_time, late = (severity_of(Outcome.INDETERMINATE, reason, overdue=overdue) for overdue in (False, True))
    assert (in_time is Severity.TICKET) == (reason is Reason.TELEMETRY_GAP)
    assert (late is Severity.TICKET) == (reason in (Reason.TELEMETRY_GAP, Reason.AMBIGUOUS))
    assert {in_time, late} <= {Severity.TICKET, Severity.NONE}


def test_an_unsafe_retry_becomes_a_ticket():
    assert severity_of(Finding.UNSAFE_RETRY) is Severity.TICKET
    assert severity_of(Outcome.VERIFIED_APPLIED, overdue=True) is Severity.NONE


NEXT = {
    "intent read side_effect=false": "nothing",
    "intent pay; receipt pay_1": "do not retry; verify the deliverable",
    "intent pay; probe 0": "read the provider's contract, then one bounded retry with the same identity and payload",
    "intent pay; probe 2": "stop retries; compensate or ask a person",
    "intent pay; claim success; probe 0": "treat the run as unhealthy; reconcile",
    "intent pay": "wait, probe, or ask a person; never invent certainty",
    "attempt success key=k payload=A; attempt success key=k payload=B": (
        "block execution; review the intent; a new operation only after that"
    ),
    "attempt timeout; attempt timeout": "stop; the deduplication boundary is broken",
    "receipt pay_1 conforms=false": "repair or compensate by decision of a person; don't repeat",
}


@pytest.mark.parametrize("facts", NEXT)
def test_the_next_safe_action(facts):
    assert judged(facts).next_action == NEXT[facts]


def test_every_verdict_has_a_next_safe_action():
    assert {judged(facts).verdict for facts in NEXT} == set(NEXT_ACTION) == set(WORST_FIRST)
