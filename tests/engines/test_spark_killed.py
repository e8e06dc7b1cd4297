"""A job on Spark that is killed with its workers, anywhere, goes on from its checkpoint as if nothing had been."""

import os
import random
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

from counterfoil.evidence import fold
from counterfoil.judge import judge_all
from counterfoil.ledger.packing import fact_of, gap_of
from counterfoil.records import fact_id

pytest.importorskip("pyspark", reason="the extra spark is not installed; the job that is killed was left out")

from counterfoil.engines.lines import addressed
from tests.engines.sparks import BOUND_S, CONF, last_said, renamed, said

CASE = Path(__file__).parents[1] / "cases" / "07_timeout_then_retry_creates_two.ndjson"
WORLDS = 20
SEED = 20
"""Of where the job is killed; another seed kills it elsewhere."""


def started(folder):
    """The job, started by the very line that the command prints, in a process group of its own."""
    options = {"--facts": "facts", "--verdicts": "said", "--checkpoint": "checkpoint"}
    asked = [part for option, name in options.items() for part in (option, str(folder / name))]
    command = [sys.executable, "-m", "counterfoil", "engine", "spark", *asked, "--partitions", "2", "--every", "0"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    line = shlex.split(printed)
    settings = [f"{name}={value}" for name, value in CONF.items() if name != "spark.sql.shuffle.partitions"]
    small = [part for setting in settings for part in ("--conf", setting)]
    program = Path(sys.executable).with_name("spark-submit")
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "COUNTERFOIL_SETTLE_AFTER": "0"}
    with open(folder / "log", "ab") as log:
        job = [str(program), *line[1:3], *small, *line[3:], "--most-files", "4"]
        return subprocess.Popen(job, cwd=folder, env=environment, start_new_session=True, stdout=log, stderr=log)


def killed(job):
    os.killpg(job.pid, signal.SIGKILL)
    job.wait()


def until(job, folder, done):
    give_up = monotonic() + BOUND_S
    while not done():
        if job.poll() is not None or monotonic() > give_up:
            raise AssertionError((folder / "log").read_text()[-4_000:])
        sleep(0.05)


def reached(folder, log):
    """The number of the last micro-batch that is in one of the checkpoint's logs; -1 before the first."""
    return max((int(entry.name) for entry in (folder / "checkpoint" / log).glob("[0-9]*")), default=-1)


def test_a_job_that_is_killed_says_what_one_process_says_and_nothing_twice(tmp_path):
    chance = random.Random(SEED)
    source = tmp_path / "facts"
    source.mkdir()
    lines = [renamed(line, f"w{world}") for world in range(WORLDS) for line in CASE.read_bytes().splitlines()]
    chance.shuffle(lines)
    files = [lines[start::12] for start in range(12)]
    for number, some in enumerate(files):
        (source / f"{number:03d}.ndjson").write_bytes(b"\n".join(some))

    job = started(tmp_path)
    try:
        until(job, tmp_path, lambda: reached(tmp_path, "offsets") >= 1)
        moment = monotonic() + chance.uniform(0, 2)  # anywhere in the second micro-batch, or at the edge of the third
        until(job, tmp_path, lambda: monotonic() > moment)
    finally:
        killed(job)
    before = reached(tmp_path, "commits")

    job = started(tmp_path)
    try:
        until(job, tmp_path, lambda: reached(tmp_path, "commits") > max(before, len(files) // 4))
    finally:
        killed(job)

    facts = [fact_of(name, record) if name else gap_of(record) for name, record in addressed(lines)]
    found = last_said(said(tmp_path))
    expected = judge_all(fold(facts))
    assert found.keys() == expected.keys()
    for name, judgement in expected.items():
        assert found[name]["verdict"] == judgement.verdict.value
        assert found[name]["witnesses"] == [fact_id(fact) for fact in judgement.witnesses]
