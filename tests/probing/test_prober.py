"""A worker asks the target about what is in doubt: when, how often, by whom, and what comes of each answer."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from counterfoil.config import Limit, Pace
from counterfoil.ledger import open_ledger
from counterfoil.ledger.looking import look_up
from counterfoil.ledger.memory import MemoryLedger
from counterfoil.ledger.protocol import Ledger
from counterfoil.probing import Answer, CannotTell
from tests.probing.worlds import Worker, answers, learns, settings, until, verdict

TIMED_OUT = "intent pay at=0; attempt timeout at=1"
PACE = Pace(first_s=10, factor=2, longest_s=40, most=4, deadline_s=3_600)


@pytest.fixture(autouse=True)
def nobody_knows() -> Iterator[list[object]]:
    """The questions that were put; every probe can't tell unless a test says otherwise."""
    asked: list[object] = []
    answers["now"] = asked.append
    yield asked
    answers.clear()


def answering(said: object) -> list[object]:
    asked: list[object] = []

    def answer(question: object) -> object:
        asked.append(question)
        return said

    answers["now"] = answer
    return asked


@pytest.mark.parametrize(
    ("said", "comes_to"),
    [
        (Answer(refs=("pay_1",)), "verified_applied"),
        (["pay_1"], "verified_applied"),
        (Answer(count=1), "verified_applied"),
        (Answer(refs=("pay_1", "pay_2")), "duplicate_effect"),
        (Answer(count=3), "duplicate_effect"),
        (Answer(), "verified_not_applied"),
        ([], "verified_not_applied"),
        (Answer(authoritative=False), "ambiguous"),
        (Answer(age_s=500), "settling"),
        (None, "ambiguous"),
        (CannotTell("the replica is down"), "ambiguous"),
    ],
)
def test_an_answer_is_evidence_of_what_it_says(ledger: Ledger, said: object, comes_to: str) -> None:
    learns(ledger, TIMED_OUT)
    answering(said)
    Worker(ledger, settings(PACE)).works(at=100)
    assert verdict(ledger) == comes_to


@pytest.mark.parametrize(
    "lie", ["pay_1", 1, {"refs": ["a"]}, Answer(refs=("",)), Answer(count=-1), Answer(count=True), [None]]
)
def test_a_probe_that_lies_about_types_has_said_nothing(lie: object) -> None:
    ledger = MemoryLedger()
    learns(ledger, TIMED_OUT)
    answering(lie)
    worker = Worker(ledger, settings(PACE))
    worker.works(at=100)
    assert (verdict(ledger), worker.prober.made["unknown"]) == ("ambiguous", 1)


@pytest.mark.parametrize("error", [RuntimeError("secret-4711"), SystemExit(), KeyboardInterrupt()])
def test_a_probe_that_raises_has_said_nothing_but_what_it_raised(error: BaseException) -> None:
    def raises(_: object) -> None:
        raise error

    ledger = MemoryLedger()
    learns(ledger, TIMED_OUT)
    answers["now"] = raises
    Worker(ledger, settings(PACE)).works(at=100)
    [look] = look_up(ledger, "op-1").operation.looks
    assert (look.authoritative, look.why) == (False, f"it raised {type(error).__name__}")


def test_a_coroutine_is_awaited() -> None:
    async def answer(_: object) -> list[str]:
        return ["pay_1"]

    ledger = MemoryLedger()
    learns(ledger, TIMED_OUT)
    answers["now"] = answer
    Worker(ledger, settings(PACE)).works(at=100)
    assert verdict(ledger) == "verified_applied"


def test_a_probe_that_hangs_is_left_to_itself_and_only_so_many_are(nobody_knows: list[object]) -> None:
    ledger, let_go = MemoryLedger(), threading.Event()
    for name in "abcdef":
        learns(ledger, f"intent pay op={name} at=0; attempt timeout op={name} at=1")
    answers["now"] = lambda question: let_go.wait(60) and None
    worker = Worker(ledger, settings(PACE, limit=Limit(at_once=9, per_minute=99)))
    worker.config.targets["shop"] = Limit(at_once=9, per_minute=99)
    worker = Worker(ledger, worker.config)
    worker.at = 100
    worker.prober.tick()
    assert any("too many" in str(fault) for fault in worker.faults)
    worker.at = 120
    worker.prober.tick()
    assert worker.prober.made["unknown"] == 4
    assert verdict(ledger, "a") == "ambiguous"
    let_go.set()


# ------------------------------------------------------------------------ when


def test_it_asks_at_growing_intervals_and_so_often(ledger: Ledger, nobody_knows: list[object]) -> None:
    learns(ledger, TIMED_OUT)
    worker = Worker(ledger, settings(PACE))
    asked_at = []
    for second in range(300):
        before = len(nobody_knows)
        worker.works(at=second)
        asked_at += [second] * (len(nobody_knows) - before)
    assert asked_at == [11, 21, 41, 81]


def test_a_restart_and_another_worker_go_on_counting(durable_url: str, nobody_knows: list[object]) -> None:
    learns(open_ledger(durable_url), TIMED_OUT)
    for second, host in (
        (11, "host-a"),
        (12, "host-b"),
        (21, "host-b"),
        (22, "host-a"),
        (41, "host-c"),
        (90, "host-a"),
    ):
        ledger = open_ledger(durable_url)
        Worker(ledger, settings(PACE), host).works(at=second)
        ledger.close()
    assert len(nobody_knows) == 4
    Worker(open_ledger(durable_url), settings(PACE)).works(at=1_000)
    assert len(nobody_knows) == 4


def test_two_workers_never_ask_about_one_operation_at_a_moment(durable_url: str) -> None:
    learns(open_ledger(durable_url), TIMED_OUT)
    let_go, asked = threading.Event(), answering(None)

    def waits(question: object) -> None:
        asked.append(question)
        let_go.wait(60)

    answers["now"] = waits
    one, other = (Worker(open_ledger(durable_url), settings(PACE), host) for host in ("host-a", "host-b"))
    one.at = other.at = 100
    one.prober.tick()
    until(lambda: len(asked) == 1)
    for second in (105, 115, 135):
        other.works(at=second)
    assert len(asked) == 1
    let_go.set()
    one.works(at=102)
    other.works(at=200)
    assert len(asked) == 2


def test_a_worker_that_dies_of_its_probe_is_counted(nobody_knows: list[object]) -> None:
    """What it was about to do is on record before it did it."""
    ledger = MemoryLedger()
    learns(ledger, TIMED_OUT)
    for second in (100, 200, 300, 400, 500, 600):
        answers["now"] = nobody_knows.append
        worker = Worker(ledger, settings(PACE))
        worker.at = second
        worker.prober.tick()
        worker.until_answered()
        worker.prober.stop()  # its answer reaches nobody
    assert len(nobody_knows) == 4


def test_nobody_asks_after_the_deadline(nobody_knows: list[object]) -> None:
    ledger = MemoryLedger()
    learns(ledger, TIMED_OUT)
    worker = Worker(ledger, settings(Pace(first_s=10, factor=1, most=9, deadline_s=25)))
    for second in range(200):
        worker.works(at=second)
    assert len(nobody_knows) == 3


def test_a_further_attempt_begins_the_pace_anew(nobody_knows: list[object]) -> None:
    ledger = MemoryLedger()
    learns(ledger, TIMED_OUT)
    worker = Worker(ledger, settings(Pace(first_s=10, most=1)))
    worker.works(at=20)
    worker.works(at=200)
    learns(ledger, "attempt timeout id=a2 at=210")
    worker.works(at=300)
    assert len(nobody_knows) == 2


def test_what_is_known_is_not_asked(nobody_knows: list[object]) -> None:
    ledger = MemoryLedger()
    learns(ledger, "intent pay op=a at=0; attempt success op=a at=1; receipt pay_1 op=a at=2")
    learns(ledger, "intent pay op=b side_effect=false at=0; attempt success op=b at=1")
    learns(ledger, "intent pay op=c at=0; attempt error executed=false proof=deferred_for_approval op=c at=1")
    learns(ledger, "intent mail op=d at=0; attempt timeout op=d at=1")
    Worker(ledger, settings(PACE)).works(at=100)
    assert nobody_knows == []


def test_a_repeat_that_may_have_done_harm_is_counted(nobody_knows: list[object]) -> None:
    ledger = MemoryLedger()
    learns(ledger, "intent pay at=0; attempt timeout at=1; attempt success at=2; receipt pay_1 at=3")
    answering(Answer(count=1))
    Worker(ledger, settings(PACE)).works(at=100)
    assert verdict(ledger) == "verified_applied"


# -------------------------------------------------------------------- how much


def test_a_provider_is_never_hammered(nobody_knows: list[object]) -> None:
    ledger = MemoryLedger()
    for n in range(30):
        learns(ledger, f"intent pay op=op-{n} at=0; attempt timeout op=op-{n} at=1")
    worker = Worker(ledger, settings(PACE, limit=Limit(at_once=3, per_minute=10)))
    for second in range(100, 160):
        before = len(nobody_knows)
        worker.at = second
        worker.prober.tick()
        assert len(worker.prober._out) <= 2, "the target's own limit is lower than the tool's"
        worker.until_answered()
        assert len(nobody_knows) - before <= 2
    assert len(nobody_knows) == 10


# --------------------------------------------------------------------- too early


def test_a_zero_before_the_read_lag_is_no_absence() -> None:
    ledger = MemoryLedger()
    learns(ledger, TIMED_OUT)
    asked = answering([])
    worker = Worker(ledger, settings(Pace(first_s=1, factor=2), lag_s=30))
    worker.works(at=2)
    assert asked == []
    worker.works(at=40)
    assert (len(asked), verdict(ledger)) == (1, "verified_not_applied")


@pytest.mark.parametrize("ahead", [-600, 0, 600])
def test_clocks_that_are_minutes_apart_change_no_verdict(ahead: float) -> None:
    """The target shows what it did 30 seconds after the request. By a clock that is ten minutes ahead any look is late
    enough; the lag counts from when this host first knew of the request. By one that is behind, it takes longer."""
    ledger = MemoryLedger()
    learns(ledger, "intent pay at=1000; attempt timeout at=1001")
    worker = Worker(ledger, settings(Pace(first_s=1, factor=2, most=20), lag_s=30), ahead=ahead)
    answers["now"] = lambda question: ["pay_1"] if worker.at >= 1_031 else []
    said = set()
    for second in range(1_002, 1_100):
        worker.works(at=second)
        said.add(verdict(ledger))
    assert said <= {"ambiguous", "settling", "verified_applied"}
    assert verdict(ledger) == "verified_applied"


# ---------------------------------------------------------------------- contract


def made_for_somebody_else(read: object, question: object) -> bool:
    return read == {"order": 7}


@pytest.mark.parametrize(
    ("expect", "read", "comes_to"),
    [
        ("order == `7`", {"order": 7}, "verified_applied"),
        ("order == `7`", {"order": 8}, "outcome_mismatch"),
        ("order", {"order": 7}, "verified_applied"),
        ("tests.probing.test_prober:made_for_somebody_else", {"order": 7}, "verified_applied"),
        ("tests.probing.test_prober:made_for_somebody_else", {"order": 8}, "outcome_mismatch"),
    ],
)
def test_the_contract_says_whether_the_one_effect_is_what_was_asked_for(
    expect: str, read: object, comes_to: str
) -> None:
    ledger = MemoryLedger()
    learns(ledger, "intent pay at=0; attempt success at=1; receipt pay_1 at=2")
    answering(Answer(refs=("pay_1",), read=read))
    Worker(ledger, settings(PACE, expect=expect)).works(at=100)
    assert verdict(ledger) == comes_to
