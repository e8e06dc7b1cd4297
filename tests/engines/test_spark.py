"""One set of rules: what Spark says of every case is what one process says of it, with the same witnesses.

Starting a stream costs more than judging all cases. So the cases go through one stream, each in a world of its own; a
case with a gap in its telemetry can't share a stream with others, because a gap is about every operation there is.
"""

from pathlib import Path

import pytest

from counterfoil.evidence import fold
from counterfoil.facts import Gap
from counterfoil.judge import judge_all
from counterfoil.ledger.packing import fact_of, gap_of
from counterfoil.records import fact_id

pytest.importorskip("pyspark", reason="the extra spark is not installed; what Spark says of the cases was left out")

from counterfoil.engines.buckets import keys, spark_hash
from counterfoil.engines.lines import addressed
from tests.engines.sparks import last_said, read_all, renamed, said, spark, streamed, until

CASES = Path(__file__).parents[1] / "cases"


def facts_in(lines):
    return [fact_of(name, record) if name else gap_of(record) for name, record in addressed(lines)]


def test_every_case_is_judged_as_in_one_process(tmp_path):
    worlds, lonely = [], []
    for case in sorted(CASES.glob("*.ndjson")):
        lines = [renamed(line, case.stem) for line in case.read_bytes().splitlines() if line.strip()]
        (lonely if any(isinstance(fact, Gap) for fact in facts_in(lines)) else worlds).append(lines)
    streams = [[line for lines in worlds for line in lines], *lonely]
    for number, lines in enumerate(streams):
        folder = tmp_path / f"stream-{number}"
        source = tmp_path / f"facts-{number}"
        source.mkdir()
        (source / "all.ndjson").write_bytes(b"\n".join(lines))
        query = streamed(source, folder, partitions=1 if number else 2)
        until(query, read_all(query, len(lines)))
        expected = judge_all(fold(facts_in(lines)))
        found = last_said(said(folder))
        assert found.keys() == expected.keys()
        for name, judgement in expected.items():
            row = found[name]
            assert (row["verdict"], row["outcome"]) == (judgement.verdict.value, judgement.outcome.value), name
            assert row["findings"] == [finding.value for finding in judgement.findings], name
            assert row["reason"] == (judgement.reason.value if judgement.reason else None), name
            assert row["witnesses"] == [fact_id(fact) for fact in judgement.witnesses], name


@pytest.mark.parametrize("backwards", [False, True], ids=["in order", "the other way round"])
def test_what_comes_late_and_apart_revises_to_the_verdict_of_the_whole(tmp_path, backwards):
    case = CASES / "07_timeout_then_retry_creates_two.ndjson"
    lines = case.read_bytes().splitlines()[:: -1 if backwards else 1]
    source = tmp_path / "facts"
    source.mkdir()
    for number, line in enumerate(lines):
        (source / f"{number:03d}.ndjson").write_bytes(line)
    query = streamed(source, tmp_path / "stream", files_at_once=1)
    until(query, read_all(query, len(lines)))
    rows = said(tmp_path / "stream")
    found = last_said(rows)
    for name, judgement in judge_all(fold(facts_in(lines))).items():
        assert found[name]["verdict"] == judgement.verdict.value
        assert found[name]["witnesses"] == [fact_id(fact) for fact in judgement.witnesses]
    assert len(rows) > len(found), "nothing was revised"


def test_buckets_lie_where_spark_lays_them():
    rows = (
        spark().createDataFrame([(key,) for key in keys()], "bucket INT").selectExpr("bucket", "hash(bucket)").collect()
    )
    assert dict(rows) == {key: spark_hash(key) for key in keys()}
