"""What counts as a lie: a verdict, what was true, what arrived, and the mark that this gets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from prove.check.arrived import Evidence
from prove.check.marks import Mark, mark
from prove.check.said import AUDIT, LEDGER, LIVE, PART, Said
from prove.check.truth import Sent, Truth
from prove.plan import Plan


def said(verdict: str, reason: str | None = None, *findings: str) -> Said:
    outcome = "indeterminate" if verdict in ("key_conflict", "unsafe_retry") else verdict
    return Said(AUDIT, "op", verdict, outcome, findings, reason, "")


def held(
    number: int,
    *,
    conflict: bool = False,
    otherwise: bool = False,
    keys: tuple[str | None, ...] = ("k",),
    contract: str = "honoured",
) -> Truth:
    sent = [Sent("op", contract, "", key, "a", "ok") for key in keys]
    refs = [f"pay_{one}" for one in range(number)]
    return Truth(refs, refs if otherwise else [], sent=sent, conflict=conflict)


def shown(*refs: str, zeros: tuple[int, ...] = (), attempts: int = 1, failed: bool = False) -> Evidence:
    return Evidence(set(refs), counts=[(0, at) for at in zeros], spans=attempts, failed=failed, last=10, lag=5)


@pytest.mark.parametrize(
    ("story", "verdict", "truth", "evidence", "expected"),
    [
        ("one effect is called two", said("duplicate_effect"), held(1), shown("a"), Mark.FALSE_CONVICTION),
        ("two effects are called two", said("duplicate_effect"), held(2), shown("a", "b"), Mark.TRUE),
        (
            "two were shown, and are called one",
            said("verified_applied"),
            held(2),
            shown("a", "b"),
            Mark.FALSE_ACQUITTAL,
        ),
        ("two were shown, and only a ticket", said("unsafe_retry"), held(2), shown("a", "b"), Mark.FALSE_ACQUITTAL),
        ("two are held, and one was shown", said("verified_applied"), held(2), shown("a"), Mark.BLIND),
        ("nothing is held, and it is called applied", said("verified_applied"), held(0), shown(), Mark.FALSE_ACQUITTAL),
        ("one is held, and it is called absent", said("verified_not_applied"), held(1), shown(), Mark.FALSE_ACQUITTAL),
        (
            "one is held, and somebody looked before, and no attempt arrived",
            said("verified_not_applied"),
            held(1),
            shown(zeros=(3,), attempts=0),
            Mark.BLIND,
        ),
        (
            "one is held, and of what one host recorded no request ever left",
            replace(said("verified_not_applied"), by=PART),
            held(1),
            Evidence(spans=1, requests=2, unsent=2, failed=True),
            Mark.BLIND,
        ),
        (
            "one is held, and of all that was recorded no request ever left",
            said("verified_not_applied"),
            held(1),
            Evidence(spans=1, requests=2, unsent=2, failed=True),
            Mark.FALSE_ACQUITTAL,
        ),
        (
            "one is held, no request of one host left, and the answer promises something",
            replace(said("verified_not_applied"), by=PART),
            held(1),
            Evidence(promised={"mai_1": 5}, spans=1, requests=1, unsent=1),
            Mark.FALSE_ACQUITTAL,
        ),
        ("one is held, and success is called false", said("false_success"), held(1), shown(), Mark.FALSE_CONVICTION),
        (
            "no key had two payloads",
            said("key_conflict", None, "key_conflict"),
            held(1),
            shown(),
            Mark.FALSE_CONVICTION,
        ),
        ("a key had two", said("key_conflict", None, "key_conflict"), held(1, conflict=True), shown(), Mark.TRUE),
        ("doubt, and the effect was shown", said("indeterminate", "unverified"), held(1), shown("a"), Mark.IDLE_DOUBT),
        (
            "doubt, and absence was shown",
            said("indeterminate", "settling"),
            held(0),
            shown(zeros=(15,)),
            Mark.IDLE_DOUBT,
        ),
        (
            "doubt, and what was promised is gone",
            said("indeterminate", "accepted"),
            held(0),
            Evidence(promised={"mai_1": 5}, gone={"mai_1": 12}, spans=1, last=10),
            Mark.IDLE_DOUBT,
        ),
        (
            "doubt, and what was gone is promised again",
            said("indeterminate", "accepted"),
            held(0),
            Evidence(promised={"mai_1": 14}, gone={"mai_1": 12}, spans=1, last=10),
            Mark.DOUBT,
        ),
        ("doubt, as the look came early", said("indeterminate", "settling"), held(0), shown(zeros=(14,)), Mark.DOUBT),
        ("doubt for a look that nobody took", said("indeterminate", "settling"), held(0), shown(), Mark.IDLE_DOUBT),
        ("doubt after a failure", said("indeterminate", "ambiguous"), held(1), shown(failed=True), Mark.DOUBT),
        ("doubt for a failure that was none", said("indeterminate", "ambiguous"), held(1), shown(), Mark.IDLE_DOUBT),
        ("a gap that nobody made", said("indeterminate", "telemetry_gap"), held(1), shown(), Mark.IDLE_DOUBT),
        ("it is what was asked for", said("outcome_mismatch"), held(1), shown("a"), Mark.FALSE_CONVICTION),
        ("it is another thing", said("outcome_mismatch"), held(1, otherwise=True), shown("a"), Mark.TRUE),
        (
            "it is another thing, and nobody compared",
            said("verified_applied"),
            held(1, otherwise=True),
            shown("a"),
            Mark.TRUE,
        ),
        (
            "it is another thing, and the contract said so",
            said("verified_applied"),
            held(1, otherwise=True),
            Evidence({"a"}, refuted=True),
            Mark.FALSE_ACQUITTAL,
        ),
        (
            "one key, called unsafe",
            said("unsafe_retry", None, "unsafe_retry"),
            held(1, keys=("k", "k")),
            Evidence(spans=1, requests=2),
            Mark.FALSE_TICKET,
        ),
        (
            "one key of two calls, and none of their requests is among what one host recorded",
            replace(said("unsafe_retry", None, "unsafe_retry"), by=PART),
            held(1, keys=("k", "k")),
            shown(attempts=2),
            Mark.BLIND,
        ),
        (
            "one key of two calls, and one of their requests arrived",
            replace(said("unsafe_retry", None, "unsafe_retry"), by=PART),
            held(1, keys=("k", "k")),
            Evidence(spans=2, requests=1),
            Mark.FALSE_TICKET,
        ),
        (
            "one key of two calls, called unsafe by the process that sent them",
            replace(said("unsafe_retry", None, "unsafe_retry"), by=LIVE),
            held(1, keys=("k", "k")),
            shown(attempts=2),
            Mark.FALSE_TICKET,
        ),
        (
            "one key, which the provider had forgotten by the second time",
            said("duplicate_effect", None, "unsafe_retry"),
            held(2, keys=("k", "k"), contract="expiring"),
            shown("a", "b"),
            Mark.TRUE,
        ),
        (
            "one key, which the provider still knew by the second time",
            said("unsafe_retry", None, "unsafe_retry"),
            held(1, keys=("k", "k"), contract="expiring"),
            Evidence(spans=2, requests=2),
            Mark.FALSE_TICKET,
        ),
        (
            "two keys, called unsafe",
            said("unsafe_retry", None, "unsafe_retry"),
            held(1, keys=("k", "l")),
            shown(),
            Mark.TRUE,
        ),
    ],
)
def test_a_verdict_gets_its_mark(story: str, verdict: Said, truth: Truth, evidence: Evidence, expected: Mark) -> None:
    marked = mark(verdict, Plan(seed=1, number=1), truth, evidence, conflict_shown=False)
    assert marked.mark is expected, (story, marked.why)


def test_a_key_conflict_that_was_shown_must_be_called_one() -> None:
    marked = mark(
        said("verified_applied"), Plan(seed=1, number=1), held(1, conflict=True), shown("a"), conflict_shown=True
    )
    assert marked.mark is Mark.FALSE_ACQUITTAL


def test_where_a_gap_is_on_record_doubt_names_it() -> None:
    gap = Plan(seed=1, number=1, telemetry="gap")
    for reason, expected in (("telemetry_gap", Mark.DOUBT), ("unverified", Mark.IDLE_DOUBT)):
        marked = mark(said("indeterminate", reason), gap, held(1), shown(), conflict_shown=False)
        assert marked.mark is expected, marked.why


@pytest.mark.parametrize(
    ("story", "kill", "begun", "keys", "expected"),
    [
        ("the first life wrote its request down and died before it left", "any", 1, ("key-1-1-again",), Mark.BLIND),
        ("no first life wrote one down", "any", 0, ("key-1-1-again",), Mark.FALSE_TICKET),
        ("the request of the first life came", "any", 1, ("key-1-1", "key-1-1"), Mark.FALSE_TICKET),
        ("nobody was killed between the two", "after_answer", 1, ("key-1-1-again",), Mark.FALSE_TICKET),
        ("both requests came", "any", 1, ("key-1-1", "key-1-1-again"), Mark.TRUE),
    ],
)
def test_whoever_dies_before_a_request_leaves_shows_no_difference(
    story: str, kill: str, begun: int, keys: tuple[str, ...], expected: Mark
) -> None:
    killed = Plan(seed=1, number=1, telemetry="shared", kill=kill, resumed="new_key")
    ticket = replace(said("unsafe_retry", None, "unsafe_retry"), by=LEDGER)
    marked = mark(ticket, killed, held(1, keys=keys), Evidence(spans=2, begun=begun), conflict_shown=False)
    assert marked.mark is expected, (story, marked.why)


def test_a_replay_of_another_operation_whose_own_telemetry_was_lost_shows_in_nothing() -> None:
    stray = Evidence({"pay_1"}, strays={"pay_1"})
    marked = mark(said("verified_applied"), Plan(seed=1, number=1), held(0), stray, conflict_shown=False)
    assert marked.mark is Mark.BLIND
