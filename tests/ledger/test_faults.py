"""Disk full, read-only, locked, corrupt, forbidden, deleted: the agent goes on, and the ledger when the disk does."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from counterfoil.book.durable import DurableBook
from counterfoil.book.telling import Telling
from counterfoil.config import Config
from counterfoil.evidence import fold
from counterfoil.facts import Fact, Gap, Intent
from counterfoil.ledger import Kind, LedgerFault
from counterfoil.ledger.guarded import Guarded
from counterfoil.ledger.memory import MemoryLedger
from counterfoil.ledger.sqlite import SqliteLedger
from counterfoil.ledger.turns import Turns
from counterfoil.testing import story
from counterfoil.verdicts import Reason
from tests.ledger.worlds import judge_to_the_end

MANY = [Intent(operation_id=f"many-{n}", observed_at=n, agent="a" * 900) for n in range(1_000)]
(ONE,) = story("intent pay")


class Agent:
    """Adds facts as an agent's process does, by a clock that a test sets."""

    def __init__(self, path: Path, *, backlog: int = 10_000) -> None:
        self.at = 0.0
        self.ledger = SqliteLedger(str(path), patience_s=0.2)
        self.told: list[LedgerFault] = []
        self.guarded = Guarded(
            self.ledger,
            self.told.append,
            process="p1",
            backlog=backlog,
            retry_after_s=1,
            clock=lambda: self.at,
            now=lambda: 77,
        )

    def adds(self, *facts: Fact | Gap) -> bool:
        self.at += 2
        return self.guarded.add(facts, due=0)

    def goes_on_through(self, kind: Kind) -> None:
        """Three facts in a row meet the fault; it is counted each time and told once."""
        faults = self.guarded.faults.get(kind, 0)
        told = len(self.told)
        waiting = self.guarded.waiting
        for n in range(3):
            assert not self.adds(Intent(operation_id="under fault", observed_at=n))
        assert self.guarded.faults[kind] == faults + 3
        assert [fault.kind for fault in self.told[told:]] == [kind]
        assert self.guarded.waiting == waiting + 3

    def recovers(self) -> None:
        assert self.adds(Intent(operation_id="after fault", observed_at=0))
        assert self.guarded.waiting == self.guarded.lost == 0
        known = self.ledger.facts(["under fault", "after fault"]).operations
        assert {name: len(facts) for name, facts in known.items()} == {"under fault": 3, "after fault": 1}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


# --------------------------------------------------------------------------- disks


@contextmanager
def files_no_longer_than(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_file_that_may_not_grow(path: Path) -> None:
    agent = Agent(path)
    assert agent.adds(*MANY)
    with files_no_longer_than(1_024):
        agent.goes_on_through(Kind.FULL)
    agent.recovers()
    assert agent.ledger.facts([fact.operation_id for fact in MANY]) == fold(MANY)


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A disk of one megabyte."""
    folder = Path(tempfile.mkdtemp(prefix="disk-"))
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    try:
        done = subprocess.run(mount, check=False, capture_output=True, text=True)
    except FileNotFoundError:
        done = None
    try:
        if done is None or done.returncode:
            pytest.skip("left out: a disk that is full; this user may not mount one")
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=False, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


def test_a_disk_that_is_full(small_disk: Path) -> None:
    agent = Agent(small_disk / "ledger.db")
    assert agent.adds(ONE)
    ballast = small_disk / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(4_096)):
            pass
    assert not agent.adds(*MANY[:300])
    assert agent.told[0].kind is Kind.FULL
    assert "free space" in str(agent.told[0])
    ballast.unlink()
    assert agent.adds()
    assert agent.ledger.facts([fact.operation_id for fact in MANY[:300]]) == fold(MANY[:300])


# --------------------------------------------------------------------- permissions


@pytest.fixture
def readable() -> Iterator[Path]:
    """A folder that anybody may enter and read."""
    folder = Path(tempfile.mkdtemp(prefix="ledger-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@contextmanager
def as_somebody_else() -> Iterator[None]:
    """Root may write anything; so root acts as nobody in particular."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65_534)
    try:
        yield
    finally:
        os.seteuid(user)


def test_a_file_and_a_folder_that_may_only_be_read(readable: Path) -> None:
    path = readable / "ledger.db"
    SqliteLedger(str(path)).add([ONE], due=0)
    for each in (*readable.iterdir(), readable):
        each.chmod(0o555 if each.is_dir() else 0o444)
    agent = Agent(path)
    with as_somebody_else():
        assert not agent.adds(ONE)
        assert agent.told[0].kind in (Kind.READ_ONLY, Kind.PERMISSION)
    for each in (readable, *readable.iterdir()):
        each.chmod(0o755 if each.is_dir() else 0o644)
    assert agent.adds(ONE)


def test_a_folder_that_may_not_be_written(readable: Path) -> None:
    readable.chmod(0o555)
    agent = Agent(readable / "ledger.db")
    with as_somebody_else():
        agent.goes_on_through(Kind.PERMISSION)
    readable.chmod(0o755)
    agent.recovers()


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    agent = Agent(tmp_path / "later" / "ledger.db")
    agent.goes_on_through(Kind.PERMISSION)
    assert "make the folder" in str(agent.told[0])
    (tmp_path / "later").mkdir()
    agent.recovers()


def test_a_new_file_is_for_its_owner_alone(path: Path) -> None:
    Agent(path).adds(ONE)
    assert {each.name: each.stat().st_mode & 0o077 for each in path.parent.iterdir()} == dict.fromkeys(
        (each.name for each in path.parent.iterdir()), 0
    )


# --------------------------------------------------------------------------- locks


def test_another_process_that_holds_its_turn_for_long(path: Path) -> None:
    agent = Agent(path)
    assert agent.adds(ONE)
    other = Turns(f"{path}-turn")
    assert other.take(0)
    agent.goes_on_through(Kind.LOCKED)
    other.give()
    agent.recovers()


def test_another_program_that_holds_the_file_for_long(path: Path) -> None:
    agent = Agent(path)
    assert agent.adds(ONE)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    agent.goes_on_through(Kind.LOCKED)
    other.execute("ROLLBACK")
    agent.recovers()
    other.close()


# -------------------------------------------------------------------------- damage


def overwritten(path: Path) -> None:
    path.write_bytes(b"not a ledger " * 1_000)


def half_of_it(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 + 17])


@pytest.mark.parametrize("damage", [overwritten, half_of_it])
def test_a_damaged_file(path: Path, damage: Callable[[Path], None]) -> None:
    first = Agent(path)
    assert first.adds(*MANY)
    first.guarded.close()
    sound = path.read_bytes()
    damage(path)

    agent = Agent(path)
    agent.goes_on_through(Kind.CORRUPT)
    copy = path.with_suffix(".copy")
    copy.write_bytes(sound)
    copy.replace(path)
    agent.recovers()
    assert agent.ledger.facts([fact.operation_id for fact in MANY]) == fold(MANY)


def test_a_record_that_cannot_be_read_leaves_doubt_about_its_operation(path: Path) -> None:
    ledger = SqliteLedger(str(path))
    ledger.add(story("intent pay op=a; receipt pay_1 op=a; intent pay op=b; receipt pay_2 op=b"), due=0)
    ledger.close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE facts SET record = x'00' WHERE operation = (SELECT id FROM operations ORDER BY id LIMIT 1)")
    judge_to_the_end(ledger)
    told = ledger.told(["a", "b"])
    assert told["a"].said.reason is Reason.UNREADABLE
    assert told["b"].said.reason is None


def test_a_file_that_is_deleted_while_in_use(path: Path) -> None:
    """What was in it is lost, which nobody may take for an operation that never was."""
    agent = Agent(path)
    assert agent.adds(ONE)
    for each in path.parent.iterdir():
        each.unlink()
    assert not agent.adds(Intent(operation_id="under fault", observed_at=0))
    assert [fault.kind for fault in agent.told] == [Kind.GONE]
    assert agent.adds(Intent(operation_id="after fault", observed_at=0))
    assert agent.ledger.facts(["under fault", "after fault"]).operations.keys() == {"under fault", "after fault"}
    (gap,) = agent.ledger.gaps()
    assert (gap.process, gap.observed_at) == ("p1", 77)
    assert "deleted" in gap.what


# ------------------------------------------------------------------------- bounds


def test_what_does_not_fit_into_memory_becomes_a_gap(path: Path) -> None:
    agent = Agent(path, backlog=10)
    other = Turns(f"{path}-turn")
    other.take(0)
    assert not agent.adds(*story("intent pay; attempt success"))
    assert not agent.adds(*MANY[:25])
    assert (agent.guarded.waiting, agent.guarded.lost) == (10, 17)
    other.give()
    assert agent.adds()
    assert [gap.what for gap in agent.ledger.gaps()] == ["17 facts were dropped: the ledger could not keep them"]
    judge_to_the_end(agent.ledger)
    assert agent.ledger.told(["op-1"])["op-1"].said.reason is Reason.TELEMETRY_GAP


def test_between_two_tries_the_ledger_is_left_alone(path: Path) -> None:
    agent = Agent(path)
    other = Turns(f"{path}-turn")
    other.take(0)
    assert not agent.adds(ONE)
    for _ in range(50):
        assert not agent.guarded.add([ONE], due=0)
    assert agent.guarded.faults == {Kind.LOCKED: 1}
    other.give()
    assert not agent.guarded.flush()
    agent.at += 1
    assert agent.guarded.flush()


def test_a_fact_that_no_ledger_can_keep_is_dropped_alone(path: Path) -> None:
    agent = Agent(path)
    assert agent.adds(ONE, Intent(operation_id="", observed_at=0), *MANY[:3])
    assert agent.guarded.faults == {Kind.UNSTORABLE: 2}  # once with the others, once alone
    assert [gap.what for gap in agent.ledger.gaps()] == ["1 facts were dropped: the ledger could not keep them"]
    assert agent.ledger.facts(["op-1", "many-0", "many-2"]).operations.keys() == {"op-1", "many-0", "many-2"}


def test_nothing_comes_out_whatever_goes_in() -> None:
    def breaks() -> Iterator[Fact]:
        yield Intent(operation_id="op-1", observed_at=0)
        raise RuntimeError

    def complains(fault: LedgerFault) -> None:
        raise RuntimeError

    guarded = Guarded(MemoryLedger(), complains)
    assert not guarded.add(breaks(), due=0)
    assert not guarded.add([object()], due=0)  # type: ignore[list-item]
    assert guarded.faults[Kind.OTHER] >= 1


def test_the_last_flush_says_how_many_are_in_no_ledger(path: Path) -> None:
    agent = Agent(path)
    other = Turns(f"{path}-turn")
    other.take(0)
    agent.adds(ONE)
    assert agent.guarded.close() == 1
    other.give()
    agent.adds(ONE)
    assert agent.guarded.close() == 0


def test_a_process_that_ends_right_after_a_fault_writes_what_it_kept_and_tells_it(path: Path) -> None:
    """It doesn't wait for the time at which it would have tried again."""
    told: list[Telling] = []
    faults: list[Exception] = []
    book = DurableBook(Config(), SqliteLedger(str(path), patience_s=0.05), told.extend, faults.append)
    other = Turns(f"{path}-turn")
    assert other.take(0)
    book.add([ONE])
    other.give()

    book.settle()

    assert [fault.kind for fault in faults if isinstance(fault, LedgerFault)] == [Kind.LOCKED]
    assert [one.judgement.operation.operation_id for one in told] == [ONE.operation_id]


def test_a_process_that_ends_while_the_ledger_is_locked_says_how_many_facts_are_lost(path: Path) -> None:
    faults: list[Exception] = []
    book = DurableBook(Config(), SqliteLedger(str(path), patience_s=0.01), lambda _: None, faults.append)
    other = Turns(f"{path}-turn")
    assert other.take(0)
    book.add([ONE])

    book.settle()

    other.give()
    assert str(faults[-1]) == "facts lost, for the process ends and its ledger can't be used: 1"


def test_once_well_again_the_next_fault_is_told_again(path: Path) -> None:
    agent = Agent(path)
    other = Turns(f"{path}-turn")
    for _ in range(2):
        other.take(0)
        assert not agent.adds(ONE)
        other.give()
        assert agent.adds(ONE)
    assert [fault.kind for fault in agent.told] == [Kind.LOCKED, Kind.LOCKED]
