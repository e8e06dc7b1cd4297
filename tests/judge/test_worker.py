"""A judge as a process: facts go in by every way there is, and verdicts come out; whatever happens to it meanwhile."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from counterfoil.facts import Fact, Gap
from counterfoil.ledger import open_ledger
from counterfoil.ledger.looking import every
from counterfoil.testing import story
from tests.judge.running import judge, ledger_in, tellings, verdicts
from tests.judge.sending import call, of_facts, post, post_json, until_taken
from tests.ledger.postgres import Server, postgres
from tests.real.sink import Sink, sink

__all__ = ["postgres"]

TWICE = "attempt timeout op={0}; attempt success op={0} key=k-{0}; receipt {0}-a op={0}; receipt {0}-b op={0}"
ONCE = "intent pay op={0}; attempt success op={0}; receipt {0} op={0}"


@pytest.fixture
def told() -> Iterator[Sink]:
    with sink() as running:
        yield running


def facts_of(*names: str, life: str = ONCE) -> list[Fact | Gap]:
    return [fact for name in names for fact in story(life.format(name))]


def test_facts_come_in_by_every_way_and_verdicts_go_out(told: Sink, tmp_path: Path) -> None:
    with judge(ledger_in(tmp_path), told) as worker:
        assert post(worker.url, of_facts(facts_of("by-protobuf", life=TWICE))).status_code == 200
        assert post_json(worker.url, of_facts(facts_of("by-json"))).json() == {}
        assert call(worker.grpc, of_facts(facts_of("by-grpc"))).partial_success.rejected_log_records == 0
        told.wait(lambda: len(verdicts(told)) == 3, "three verdicts")
        assert worker.asked("/healthz") == worker.asked("/readyz") == 200
        code, said, _ = worker.stop()

    assert verdicts(told) == {
        "by-protobuf": "duplicate_effect",
        "by-json": "verified_applied",
        "by-grpc": "verified_applied",
    }
    assert (code, said) == (0, "3 verdicts told\n")


def test_what_one_host_saw_and_what_another_saw_is_one_operation(told: Sink, tmp_path: Path) -> None:
    first, *others = facts_of("order-1", life=TWICE)
    with judge(ledger_in(tmp_path), told) as worker:
        post(worker.url, of_facts([first]))
        told.wait(lambda: "order-1" in verdicts(told), "a first verdict")
        post(worker.url, of_facts(others))
        told.wait(lambda: verdicts(told)["order-1"] == "duplicate_effect", "the revised verdict")

    assert [revision for _, revision, _ in tellings(told)] == [1, 2]


def test_what_was_taken_is_told_after_a_kill_and_nothing_is_told_twice(told: Sink, tmp_path: Path) -> None:
    """Four senders, sixty batches. The judge is killed three times, wherever it is just then, and started again."""
    names = [f"order-{n}" for n in range(600)]
    expected = {name: "duplicate_effect" if n % 3 else "verified_applied" for n, name in enumerate(names)}
    facts = [fact for n, name in enumerate(names) for fact in facts_of(name, life=TWICE if n % 3 else ONCE)]
    random.Random(1).shuffle(facts)
    batches = [facts[start : start + 40] for start in range(0, len(facts), 40)]
    taken = threading.Semaphore(0)

    with judge(ledger_in(tmp_path), told) as worker, ThreadPoolExecutor(4) as senders:
        url = worker.url

        def send(batch: list[Fact | Gap]) -> int:
            tries = until_taken(url, of_facts(batch))
            taken.release()
            return tries

        sent = [senders.submit(send, batch) for batch in batches]
        for _ in range(3):
            for _ in range(len(batches) // 5):
                taken.acquire()
            worker.kill()
            worker.restart()
        assert sum(one.result() for one in sent) >= len(batches)
        told.wait(lambda: verdicts(told) == expected, "the verdict on every operation")

    revisions = Counter((operation, revision) for operation, revision, _ in tellings(told))
    assert [one for one, times in revisions.items() if times > 1] == []


@pytest.mark.real
def test_an_operation_that_a_changed_ring_splits_over_two_judges_is_judged_as_a_whole(
    told: Sink, postgres: Server
) -> None:
    names = [f"order-{n}" for n in range(50)]
    url = postgres.fresh()
    with judge(url, told) as one, judge(url, told) as two:
        for number, name in enumerate(names):
            parts = facts_of(name, life=TWICE)
            half = number % len(parts)
            assert post(one.url, of_facts(parts[:half] or parts)).status_code == 200
            assert post(two.url, of_facts(parts[half:])).status_code == 200
        told.wait(lambda: verdicts(told) == dict.fromkeys(names, "duplicate_effect"), "the verdict of the whole")

    revisions = Counter((operation, revision) for operation, revision, _ in tellings(told))
    assert max(revisions.values()) == 1


def test_two_judges_that_share_nothing_see_a_part_each(told: Sink, tmp_path: Path) -> None:
    """What `docs/fleet.md` says of it: each tells its part, and no part is wrong, but the duplicate goes unseen."""
    intent, attempt, first, second = (
        *facts_of("order-1")[:2],
        *story("receipt a op=order-1"),
        *story("receipt b op=order-1"),
    )
    with (
        judge(f"sqlite:///{tmp_path}/one.db", told) as one,
        judge(f"sqlite:///{tmp_path}/two.db", told) as two,
    ):
        post(one.url, of_facts([intent, attempt, first]))
        post(two.url, of_facts([intent, attempt, second]))
        told.wait(lambda: len(tellings(told)) == 2, "two parts")

    assert [verdict for _, _, verdict in tellings(told)] == ["verified_applied", "verified_applied"]
    merged = open_ledger("memory:")
    merged.add([intent, attempt, first, second], due=0)
    assert [judged.verdict for judged in every(merged)] == ["duplicate_effect"]


def test_a_verdict_that_nobody_heard_is_told_again_under_a_further_revision(tmp_path: Path) -> None:
    with sink() as gone:
        pass
    url = ledger_in(tmp_path)
    with judge(url, gone, environment={"OTEL_EXPORTER_OTLP_TIMEOUT": "0.5"}) as deaf:
        post(deaf.url, of_facts(facts_of("order-1", life=TWICE)))
        ledger = open_ledger(url)
        wait_for(lambda: ledger.told(["order-1"]))
        assert not ledger.told(["order-1"])["order-1"].delivered
        ledger.close()
    with sink() as told, judge(url, told):
        told.wait(lambda: verdicts(told) == {"order-1": "duplicate_effect"}, "the verdict")
        assert tellings(told)[0][1] > 1


def wait_for(condition) -> None:
    for _ in range(600):
        if condition():
            return
        threading.Event().wait(0.05)
    raise AssertionError("it never came true")
