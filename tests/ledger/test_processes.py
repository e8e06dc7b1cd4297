"""Two thousand operations, their attempts spread over four processes of which two are killed: the verdicts are those
that one process would have given, and no revision is told twice."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from counterfoil.evidence import fold
from counterfoil.ledger import open_ledger
from tests.ledger.fleet import OPERATIONS, seen
from tests.ledger.worlds import as_kept, judge_to_the_end, said

WORKERS = 4
SEED = 7
PATIENCE_S = 300


def start(url: str, worker: int, told: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.ledger.fleet", url, str(worker), str(WORKERS), str(told), str(SEED)]
    return subprocess.Popen(command, stderr=subprocess.PIPE)


def lines(told: Path) -> list[str]:
    return told.read_text().splitlines() if told.exists() else []


def test_killed_processes_change_no_verdict(durable_url: str, tmp_path: Path) -> None:
    told = tmp_path / "told"
    chance = random.Random(SEED)
    workers = [start(durable_url, worker, told) for worker in range(WORKERS)]
    try:
        for victim in chance.sample(range(WORKERS), 2):
            wait_for_lines(told, len(lines(told)) + chance.randint(50, 250))
            workers[victim].kill()
            workers[victim].wait()
            workers[victim] = start(durable_url, victim, told)  # it begins again, and sends all of its share again
        for worker in workers:
            assert worker.wait(PATIENCE_S) == 0, worker.stderr and worker.stderr.read().decode()
    finally:
        for worker in workers:
            worker.kill()

    ledger = open_ledger(durable_url)
    judge_to_the_end(ledger)
    expected = said(fold(as_kept(fact) for fact in seen()))
    last = ledger.told(list(expected))
    ledger.close()
    assert len(last) == OPERATIONS
    assert {name: one.said for name, one in last.items()} == expected
    assert len({one.verdict for one in expected.values()}) >= 7

    revisions = Counter(line.rpartition(" ")[0] for line in lines(told))
    assert max(revisions.values()) == 1
    assert sum(last[name].revision for name in last) >= len(revisions) >= OPERATIONS


def wait_for_lines(told: Path, number: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while len(lines(told)) < number:
        assert time.monotonic() < deadline, "the processes tell nothing"
        time.sleep(0.01)
