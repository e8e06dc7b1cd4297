"""Threads, forked children and turns: what shares a ledger without knowing of each other."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from counterfoil.facts import Intent
from counterfoil.ledger import Kind, LedgerFault, open_ledger
from counterfoil.ledger.group import Batch, Group
from counterfoil.ledger.guarded import Guarded
from counterfoil.ledger.packing import rows_of
from counterfoil.ledger.protocol import Ledger
from counterfoil.ledger.sqlite import SqliteLedger
from counterfoil.ledger.sqlite_checkpoint import FACTS as UNTIL_A_CHECKPOINT
from counterfoil.ledger.turns import Turns

BOUND_S = 60


def named(name: str, number: int = 0) -> Intent:
    return Intent(operation_id=name, observed_at=number)


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + BOUND_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def in_child(do: Callable[[], bool]) -> bool:
    """Fork, do it there, and say whether it went well."""
    pid = os.fork()
    if pid == 0:
        well = False
        try:
            well = do()
        finally:
            os._exit(0 if well else 1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


# ------------------------------------------------------------------------- threads


def test_threads_share_one_ledger(ledger: Ledger) -> None:
    def work(thread: int) -> None:
        for n in range(40):
            assert ledger.add([named(f"op-{thread}", n), named("shared", thread * 100 + n)], due=0) == 2

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))
    known = ledger.facts(["shared", *(f"op-{n}" for n in range(8))]).operations
    assert {name: len(facts) for name, facts in known.items()} == {"shared": 320, **{f"op-{n}": 40 for n in range(8)}}


def test_who_comes_while_another_writes_is_written_together_with_all_who_came() -> None:
    go_on = threading.Event()
    written: list[int] = []

    def write(batches: Sequence[Batch]) -> list[int]:
        assert go_on.wait(BOUND_S)
        written.append(len(batches))
        return [len(rows) for rows, _ in batches]

    group = Group(write, ledger="", most=6, patience_s=BOUND_S)
    counts: list[int] = []
    threads = [
        threading.Thread(target=lambda n=n: counts.append(group.add((rows_of([named(f"op-{n}")]), 0))))
        for n in range(13)
    ]
    for number, thread in enumerate(threads):
        thread.start()
        # The first writes, and is held up; the others wait.
        wait_until(lambda number=number: len(group._waiting) == number)
    go_on.set()
    for thread in threads:
        thread.join()
    assert written == [1, 6, 6]
    assert counts == [1] * 13


def test_a_group_that_fails_fails_for_all_of_it_and_nobody_after() -> None:
    def write(batches: Sequence[Batch]) -> list[int]:
        if any(due for _, due in batches):
            raise LedgerFault(Kind.FULL, "", "full")
        return [1 for _ in batches]

    group = Group(write, ledger="", most=512, patience_s=BOUND_S)
    with pytest.raises(LedgerFault):
        group.add((rows_of([named("op-1")]), 1))
    assert group.add((rows_of([named("op-1")]), 0)) == 1


def test_who_has_waited_enough_is_not_written_later() -> None:
    go_on = threading.Event()
    written: list[str] = []

    def write(batches: Sequence[Batch]) -> list[int]:
        assert go_on.wait(BOUND_S)
        written.extend(rows.facts[0].operation_id for rows, _ in batches)
        return [1 for _ in batches]

    group = Group(write, ledger="", most=512, patience_s=0.05)
    first = threading.Thread(target=lambda: group.add((rows_of([named("first")]), 0)))
    first.start()
    wait_until(group._writing.locked)
    with pytest.raises(LedgerFault) as late:
        group.add((rows_of([named("late")]), 0))
    assert late.value.kind is Kind.LOCKED
    go_on.set()
    first.join()
    assert group.add((rows_of([named("next")]), 0)) == 1
    assert written == ["first", "next"]


# --------------------------------------------------------------------------- turns


def test_a_turn_is_had_by_one_at_a_time_and_handed_on(tmp_path: Path) -> None:
    path = str(tmp_path / "turn")
    one, other = Turns(path), Turns(path)
    assert one.take(0)
    assert not other.take(0)
    assert not other.take(0.05)
    one.give()
    assert other.take(BOUND_S)
    assert not one.take(0)
    other.give()


def test_a_turn_that_comes_when_nobody_waits_is_let_go(tmp_path: Path) -> None:
    path = str(tmp_path / "turn")
    one, other, third = Turns(path), Turns(path), Turns(path)
    assert one.take(0)
    assert not other.take(0.01)  # its thread waits on
    one.give()
    assert third.take(BOUND_S)
    third.give()
    assert other.take(BOUND_S)
    other.give()


def test_only_one_thread_waits_for_a_turn_however_often_it_is_asked_for(tmp_path: Path) -> None:
    path = str(tmp_path / "turn")
    one, other = Turns(path), Turns(path)
    assert one.take(0)
    before = threading.active_count()
    for _ in range(20):
        assert not other.take(0.001)
    assert threading.active_count() <= before + 1
    one.give()
    assert other.take(BOUND_S)
    other.give()


def test_a_turn_ends_with_its_process(tmp_path: Path) -> None:
    path = str(tmp_path / "turn")

    def take_and_die() -> bool:
        return Turns(path).take(0)

    assert in_child(take_and_die)
    assert Turns(path).take(0)


def test_a_child_that_lives_on_does_not_hold_its_parents_turn(tmp_path: Path) -> None:
    path = str(tmp_path / "turn")
    mine = Turns(path)
    assert mine.take(0)
    heard, said = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.read(heard, 1)
        os._exit(0)
    mine.give()
    assert Turns(path).take(0)
    os.write(said, b".")
    os.waitpid(pid, 0)


# --------------------------------------------------------------------------- forks


def test_a_forked_child_goes_on_with_connections_of_its_own(durable_url: str) -> None:
    ledger = open_ledger(durable_url, patience_s=20)
    ledger.add([named("before")], due=0)
    assert ledger.facts(["before"]).operations

    def child() -> bool:
        ledger.add([named("child", n) for n in range(5)], due=0)
        return ledger.facts(["before", "child"]).operations.keys() == {"before", "child"}

    assert in_child(child)
    ledger.add([named("after")], due=0)
    assert ledger.facts(["before", "child", "after"]).operations.keys() == {"before", "child", "after"}


def test_a_child_forked_while_another_thread_writes_is_not_stuck(tmp_path: Path) -> None:
    ledger = SqliteLedger(str(tmp_path / "ledger.db"))
    stop = threading.Event()

    def keep_writing() -> None:
        n = 0
        while not stop.is_set():
            n += 1
            ledger.add([named("busy", n)], due=0)

    with ThreadPoolExecutor(1) as threads:
        writer = threads.submit(keep_writing)
        try:
            for n in range(20):
                assert in_child(lambda n=n: ledger.add([named("child", n)], due=0) == 1)
        finally:
            stop.set()
        writer.result()
    assert len(ledger.facts(["child"]).operations["child"]) == 20


def test_what_a_parent_keeps_in_memory_its_child_does_not_write(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    guarded = Guarded(SqliteLedger(str(path), patience_s=0.05), clock=lambda: 0.0)
    other = Turns(f"{path}-turn")
    other.take(0)
    assert not guarded.add([named("parent")], due=0)
    other.give()
    assert in_child(lambda: guarded.waiting == 0 and guarded.add([named("child")], due=0))
    assert guarded.waiting == 1


# ---------------------------------------------------------------------- checkpoints


def test_the_log_is_brought_into_the_file_while_writing_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    ledger = SqliteLedger(str(path))
    for start in range(0, UNTIL_A_CHECKPOINT + 512, 512):
        ledger.add([named(f"op-{start + n}") for n in range(512)], due=0)
    wait_until(lambda: path.stat().st_size > 100_000)
    assert len(ledger.operations(limit=10**6)) == UNTIL_A_CHECKPOINT + 512


def test_a_log_that_many_who_write_little_have_made_long_starts_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As short-lived agents do beside a worker that keeps the file open, so that no last one to close checkpoints."""
    monkeypatch.setattr("counterfoil.ledger.sqlite_checkpoint.MAX_LOG", 200_000)
    path = tmp_path / "ledger.db"
    worker = SqliteLedger(str(path))
    worker.add([named("op")], due=0)
    for agent in range(20):
        ledger = SqliteLedger(str(path))
        ledger.add([named(f"op-{agent}-{n}") for n in range(200)], due=0)
        ledger.close()
    assert Path(f"{path}-wal").stat().st_size < 400_000
    assert len(worker.operations(limit=10**6)) == 4_001
    worker.close()


def test_a_log_that_has_grown_too_long_starts_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("counterfoil.ledger.sqlite_checkpoint.MAX_LOG", 50_000)
    monkeypatch.setattr("counterfoil.ledger.sqlite_checkpoint.FACTS", 1_000)
    path = tmp_path / "ledger.db"
    ledger = SqliteLedger(str(path))
    for start in range(0, 4_096, 512):
        ledger.add([named(f"op-{start + n}") for n in range(512)], due=0)
    log = Path(f"{path}-wal")
    ledger.close()
    assert not log.exists() or log.stat().st_size <= 50_000
    assert len(ledger.operations(limit=10**6)) == 4_096
