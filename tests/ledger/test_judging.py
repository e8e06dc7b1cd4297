"""When a verdict is said, when it is said again, and when an incident closes. The clock is a number in here."""

from __future__ import annotations

from contextlib import suppress

import pytest

from counterfoil.ledger import open_ledger
from counterfoil.ledger.judging import SECOND, Pass, Telling, Timing, judge_due
from counterfoil.ledger.memory import MemoryLedger
from counterfoil.ledger.protocol import Ledger
from counterfoil.ledger.pruning import Pruned, prune
from counterfoil.testing import story
from counterfoil.verdicts import Finding, Outcome, Reason, Severity

TIMING = Timing(settle_after=5 * SECOND, deadline=60 * SECOND)


class Judge:
    """Judges one ledger by a clock that a test sets, and remembers what it told."""

    def __init__(self, ledger: Ledger, timing: Timing = TIMING) -> None:
        self.ledger = ledger
        self.timing = timing
        self.told: list[Telling] = []

    def learns(self, text: str, *, at: float) -> None:
        self.ledger.add(story(text), due=int((at + 5) * SECOND))

    def judges(self, at: float) -> list[str]:
        """All that is due at a second after the start; what was told of it, as "operation revision verdict"."""
        before = len(self.told)
        now = int(at * SECOND)
        while judge_due(self.ledger, self.told.append, now=now, timing=lambda tool: self.timing).judged:
            pass
        return [f"{t.told.operation_id} {t.told.revision} {t.told.said.verdict}" for t in self.told[before:]]

    @property
    def last(self) -> Telling:
        return self.told[-1]


@pytest.fixture
def judge(ledger: Ledger) -> Judge:
    return Judge(ledger)


PAID = "intent pay at=0; attempt success at=1; receipt pay_1 at=2"

# ------------------------------------------------------------------------ settling


def test_a_verdict_is_said_once_when_it_settles(judge: Judge) -> None:
    judge.learns(PAID, at=2)
    assert judge.judges(at=6.9) == []
    assert judge.judges(at=7) == ["op-1 1 verified_applied"]
    assert judge.judges(at=10_000) == []


def test_late_evidence_revises_it(judge: Judge) -> None:
    judge.learns(PAID, at=2)
    judge.judges(at=7)
    judge.learns("webhook pay_2 at=600", at=600)
    assert judge.judges(at=605) == ["op-1 2 duplicate_effect"]
    assert judge.last.before is not None
    assert judge.last.before.said.verdict is Outcome.VERIFIED_APPLIED


def test_late_evidence_that_changes_nothing_is_not_said(judge: Judge) -> None:
    judge.learns(PAID, at=2)
    judge.judges(at=7)
    judge.learns("webhook pay_1 at=600", at=600)
    assert judge.judges(at=605) == []


def test_what_is_under_way_is_waited_for_until_its_deadline(judge: Judge) -> None:
    judge.learns("intent pay at=0; attempt started at=1", at=1)
    assert judge.judges(at=60.9) == []
    assert judge.judges(at=61) == ["op-1 1 indeterminate"]
    assert judge.last.told.said.reason is Reason.AMBIGUOUS


def test_what_is_under_way_but_shown_to_be_done_is_not_waited_for(judge: Judge) -> None:
    judge.learns("intent pay at=0; attempt started at=1; webhook pay_1 at=3", at=3)
    assert judge.judges(at=8) == ["op-1 1 verified_applied"]


def test_doubt_becomes_a_ticket_when_its_deadline_passes(judge: Judge) -> None:
    judge.learns("intent pay at=0; attempt timeout at=1", at=1)
    assert judge.judges(at=6) == ["op-1 1 indeterminate"]
    assert judge.last.told.said.severity is Severity.NONE
    assert judge.judges(at=59.9) == []
    assert judge.judges(at=60) == ["op-1 2 indeterminate"]
    assert judge.last.told.said.severity is Severity.TICKET


def test_each_tool_has_its_own_times(ledger: Ledger) -> None:
    times = {"slow": Timing(settle_after=90 * SECOND), "fast": Timing(settle_after=SECOND)}
    ledger.add(story("intent slow op=a at=0; intent fast op=b at=0; attempt 503 op=a; attempt 503 op=b"), due=0)
    told: list[Telling] = []
    judge_due(ledger, told.append, now=5 * SECOND, timing=lambda tool: times[str(tool)])
    assert [telling.told.operation_id for telling in told] == ["b"]


def test_a_clock_that_is_minutes_wrong_delays_a_verdict_and_changes_none(judge: Judge) -> None:
    """A host whose clock is three minutes ahead: by ours its receipt comes from the future."""
    judge.learns("intent pay at=0; attempt success at=1; receipt pay_1 at=181", at=2)
    assert judge.judges(at=7) == ["op-1 1 verified_applied"]
    judge.learns("intent pay op=op-2 at=184; attempt success op=op-2 at=185", at=6)
    assert judge.judges(at=189) == []
    assert judge.judges(at=190) == ["op-2 1 indeterminate"]


# ------------------------------------------------------------- neighbours and gaps


def test_an_operation_hears_of_what_another_did_with_its_key(judge: Judge) -> None:
    judge.learns("intent pay op=a key=k1 payload=A at=0; attempt success op=a payload=A at=1", at=1)
    judge.judges(at=6)
    judge.learns("intent pay op=b key=k1 payload=B at=100; attempt success op=b payload=B at=101", at=101)
    assert sorted(judge.judges(at=106)) == ["a 2 key_conflict", "b 1 key_conflict"]


def test_two_that_share_a_key_do_not_wake_each_other_for_ever(judge: Judge) -> None:
    judge.learns("attempt success op=a key=k1 payload=A; attempt success op=b key=k1 payload=B", at=2)
    judge.judges(at=100)
    assert judge_due(judge.ledger, judge.told.append, now=200 * SECOND) == Pass()


def test_a_gap_gives_doubt_another_reason(judge: Judge) -> None:
    judge.learns("intent pay at=0; attempt success at=1", at=1)
    judge.judges(at=6)
    assert judge.last.told.said.reason is Reason.UNVERIFIED
    judge.learns("gap spans_dropped at=50", at=50)
    assert judge.judges(at=55) == ["op-1 2 indeterminate"]
    assert judge.last.told.said.reason is Reason.TELEMETRY_GAP


# ---------------------------------------------------------------- open and closed


def open_ones(ledger: Ledger) -> list[str]:
    return list(ledger.operations(open_only=True))


def test_an_incident_is_open_until_its_surplus_is_reversed(judge: Judge) -> None:
    judge.learns(f"{PAID}; receipt pay_2 at=3", at=3)
    assert judge.judges(at=8) == ["op-1 1 duplicate_effect"]
    assert open_ones(judge.ledger) == ["op-1"]
    judge.learns("webhook refund_1 compensates=pay_2 at=500", at=500)
    assert judge.judges(at=505) == ["op-1 2 duplicate_effect"]
    assert open_ones(judge.ledger) == []


def test_an_incident_closes_when_a_person_decides_and_opens_when_more_comes(judge: Judge) -> None:
    judge.learns("attempt success key=k1 payload=A at=0; attempt success key=k1 payload=B at=1", at=1)
    assert judge.judges(at=6) == [f"op-1 1 {Finding.KEY_CONFLICT}"]
    assert open_ones(judge.ledger) == ["op-1"]
    judge.learns("human 1 at=900", at=900)
    judge.judges(at=905)
    assert judge.last.told.said.verdict is Finding.KEY_CONFLICT
    assert open_ones(judge.ledger) == []
    judge.learns("receipt pay_1 at=950; receipt pay_2 at=951; human 1 at=900", at=951)
    judge.judges(at=956)
    assert judge.last.told.said.verdict is Finding.KEY_CONFLICT


def test_a_clean_call_without_a_receipt_is_nobodys_concern(judge: Judge) -> None:
    judge.learns("intent pay at=0; attempt success at=1", at=1)
    judge.judges(at=6)
    assert open_ones(judge.ledger) == []


# ------------------------------------------------------------------------- restarts


def test_a_restart_tells_nothing_again(durable_url: str) -> None:
    for revision in (["op-1 1 verified_applied"], [], []):
        ledger = open_ledger(durable_url)
        judge = Judge(ledger)
        judge.learns(PAID, at=2)
        assert judge.judges(at=7) == revision
        ledger.close()


class DiedError(BaseException):
    """The process ends here."""


def test_who_dies_after_telling_is_followed_by_a_further_revision(ledger: Ledger) -> None:
    """Nobody knows whether it was told. It is told again, and no revision is told twice."""
    told: list[Telling] = []

    def tell_and_die(telling: Telling) -> None:
        told.append(telling)
        raise DiedError

    ledger.add(story(PAID), due=0)
    with suppress(DiedError):
        judge_due(ledger, tell_and_die, now=100 * SECOND)
    judge = Judge(ledger)
    assert judge.judges(at=100) == ["op-1 2 verified_applied"]
    assert [telling.told.revision for telling in told] == [1]
    assert judge.judges(at=10_000) == []


def test_a_teller_that_fails_hurts_nobody_else_and_is_asked_again(ledger: Ledger) -> None:
    def fails_for_a(telling: Telling) -> None:
        if telling.told.operation_id == "a":
            raise ConnectionError

    ledger.add(story("intent pay op=a at=0; receipt pay_1 op=a; intent pay op=b; receipt pay_2 op=b"), due=0)
    at = 100 * SECOND
    done = judge_due(ledger, fails_for_a, now=at, timing=lambda tool: TIMING)
    assert done == Pass(judged=2, told=1, failed=1)
    judge = Judge(ledger)
    assert judge.judges(at=104.9) == []
    assert judge.judges(at=105) == ["a 2 verified_applied"]


# -------------------------------------------------------------------------- pruning


def facts_about(ledger: Ledger) -> list[str]:
    return list(ledger.operations())


def test_pruning_forgets_what_is_settled_and_old(judge: Judge) -> None:
    judge.learns(PAID, at=2)
    judge.learns("intent pay op=op-2 at=0; attempt timeout op=op-2 at=1", at=2)
    judge.judges(at=7)
    assert prune(judge.ledger, 7 * SECOND) == Pruned()
    assert prune(judge.ledger, 8 * SECOND, dry_run=True) == Pruned(forgotten=1)
    assert prune(judge.ledger, 8 * SECOND) == Pruned(forgotten=1)
    assert facts_about(judge.ledger) == ["op-2"]


def test_what_an_open_incident_rests_on_is_kept(judge: Judge) -> None:
    """The reference belongs to the first; without it, the second's false success would look like a success."""
    judge.learns("intent pay op=a payload=A at=0; receipt pay_1 op=a payload=A at=1", at=1)
    judge.learns("intent pay op=b at=5; attempt success op=b; receipt pay_1 op=b replayed=true at=9", at=9)
    assert sorted(judge.judges(at=20)) == ["a 1 verified_applied", "b 1 false_success"]
    assert prune(judge.ledger, 1_000 * SECOND) == Pruned(related=1)
    judge.learns("human 0 op=b at=500", at=500)
    judge.judges(at=505)
    assert prune(judge.ledger, 1_000 * SECOND, at_once=1, dry_run=True) == Pruned(forgotten=2)
    assert prune(judge.ledger, 1_000 * SECOND) == Pruned(forgotten=2)
    assert facts_about(judge.ledger) == []


def test_what_was_forgotten_while_it_was_due_is_not_judged() -> None:
    ledger = MemoryLedger()
    judge = Judge(ledger)
    judge.learns(PAID, at=2)
    judge.judges(at=7)
    with ledger.claim(0, 1) as claim:
        claim.wake(["op-1", "unknown"], 0)
    assert judge.judges(at=8) == []
