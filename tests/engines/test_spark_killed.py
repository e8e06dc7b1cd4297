"""A job on Spark that is killed with its workers, anywhere, goes on from its checkpoint as if nothing had been."""

import random
from pathlib import Path
from time import monotonic

import pytest

from counterfoil.evidence import fold
from counterfoil.judge import judge_all
from counterfoil.ledger.packing import fact_of, gap_of
from counterfoil.records import fact_id

pytest.importorskip("pyspark", reason="the extra spark is not installed; the job that is killed was left out")

from counterfoil.engines.lines import addressed
from tests.engines.jobs import killed, reached, started, until
from tests.engines.sparks import last_said, renamed, said

CASE = Path(__file__).parents[1] / "cases" / "07_timeout_then_retry_creates_two.ndjson"
WORLDS = 20
SEED = 20
"""Of where the job is killed; another seed kills it elsewhere."""


def job_in(folder):
    return started(folder, str(folder / "facts"), str(folder / "said"), line_only=("--most-files", "4"))


def test_a_job_that_is_killed_says_what_one_process_says_and_nothing_twice(tmp_path):
    chance = random.Random(SEED)
    source = tmp_path / "facts"
    source.mkdir()
    lines = [renamed(line, f"w{world}") for world in range(WORLDS) for line in CASE.read_bytes().splitlines()]
    chance.shuffle(lines)
    files = [lines[start::12] for start in range(12)]
    for number, some in enumerate(files):
        (source / f"{number:03d}.ndjson").write_bytes(b"\n".join(some))

    job = job_in(tmp_path)
    try:
        until(job, tmp_path, lambda: reached(tmp_path, "offsets") >= 1)
        moment = monotonic() + chance.uniform(0, 2)  # anywhere in the second micro-batch, or at the edge of the third
        until(job, tmp_path, lambda: monotonic() > moment)
    finally:
        killed(job)
    before = reached(tmp_path, "commits")

    job = job_in(tmp_path)
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
