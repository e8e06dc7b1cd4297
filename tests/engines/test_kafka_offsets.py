"""How much of a topic a micro-batch takes, and which addresses are one: laws, without a broker."""

from __future__ import annotations

import shlex

import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

pytest.importorskip("pyspark", reason="the extra spark is not installed; what its job reads was left out")

from counterfoil.cli.engine import app
from counterfoil.engines.job import _parser, main
from counterfoil.engines.offsets import begun, bounded, kept, parts
from counterfoil.engines.places import NoPlace, Topic, Ways, topic_of, ways_of
from counterfoil.engines.telling import ENDPOINTS
from counterfoil.engines.topic import gathered

offsets = st.integers(0, 10_000)
partitions = st.dictionaries(st.integers(0, 20), st.tuples(offsets, offsets), min_size=1)


@given(partitions, st.integers(1, 5_000))
def test_a_micro_batch_takes_what_there_is_up_to_its_bound(known: dict[int, tuple[int, int]], most: int) -> None:
    starts = {number: start for number, (start, _) in known.items()}
    ends = {number: start + more for number, (start, more) in known.items()}
    until = bounded(starts, ends, most)
    assert all(starts[number] <= until[number] <= ends[number] for number in known)
    there = sum(ends.values()) - sum(starts.values())
    assert sum(until.values()) - sum(starts.values()) == min(there, most)
    assert bounded(starts, ends, None) == ends


@given(partitions, st.integers(21, 5_000))
def test_no_partition_waits_for_a_busier_one(known: dict[int, tuple[int, int]], most: int) -> None:
    starts = {number: start for number, (start, _) in known.items()}
    ends = {number: start + more for number, (start, more) in known.items()}
    until = bounded(starts, ends, most)
    assert all(until[number] > starts[number] for number in known if ends[number] > starts[number])


@given(partitions, partitions)
def test_what_is_planned_is_what_lies_between_two_offsets(
    before: dict[int, tuple[int, int]], after: dict[int, tuple[int, int]]
) -> None:
    start = kept("id", {number: at for number, (at, _) in before.items()})
    known = begun(start, dict.fromkeys({*before, *after}, 0))
    end = kept("id", {number: known[number] + after.get(number, (0, 0))[1] for number in known})
    planned = {part.partition: (part.start, part.end) for part in parts(start, end)}
    expected = {number: (known[number], end["next"][str(number)]) for number in known}
    assert planned == {number: span for number, span in expected.items() if span[0] < span[1]}
    assert parts(end, end) == []


@given(st.lists(st.binary(max_size=40)), st.integers(1, 5), st.integers(1, 60))
def test_messages_go_on_together_in_order_and_in_bounds(messages: list[bytes], most: int, most_bytes: int) -> None:
    lists = list(gathered(messages, most, most_bytes))
    assert [one for some in lists for one in some] == messages
    assert all(len(some) <= most and (len(some) == 1 or sum(map(len, some)) <= most_bytes) for some in lists)


@pytest.mark.parametrize(
    ("address", "topic"),
    [
        ("kafka://broker:9092/facts", Topic("broker:9092", "facts")),
        ("kafka://a:1,b:2/team.facts-v1", Topic("a:1,b:2", "team.facts-v1")),
        ("kafka://[::1]:9092/facts", Topic("[::1]:9092", "facts")),
        ("s3a://evidence/facts", None),
        ("facts", None),
    ],
)
def test_an_address_is_a_topic_or_a_folder(address: str, topic: Topic | None) -> None:
    assert topic_of(address) == topic


@pytest.mark.parametrize("address", ["kafka://", "kafka://a/facts", "kafka://a:1", "kafka://a:1/", "kafka://a:1/b/c"])
def test_what_is_no_topic_is_said_with_what_to_write(address: str) -> None:
    with pytest.raises(NoPlace, match=r"write kafka://HOST:PORT"):
        topic_of(address)


def test_credentials_in_an_address_are_refused_and_not_shown() -> None:
    with pytest.raises(NoPlace, match="--kafka-config") as raised:
        topic_of("kafka://me:hunter2@a:1/facts")
    assert "hunter2" not in str(raised.value)


def test_verdicts_go_to_a_folder_or_to_topics_and_telemetry() -> None:
    assert ways_of(["said"]) == Ways("said")
    assert ways_of(["otlp", "kafka://a:1/said"]) == Ways(None, (Topic("a:1", "said"),), True)
    for both in (["said", "otlp"], ["said", "other"]):
        with pytest.raises(NoPlace, match="goes alone"):
            ways_of(both)


def printed(*verdicts: str, facts: str = "kafka://a:1/facts") -> Result:
    more = [part for one in verdicts for part in ("--verdicts", one)]
    return CliRunner().invoke(app, ["spark", "--facts", facts, "--checkpoint", "ck", *more, "--lost", "fail"])


def test_the_line_that_is_printed_holds_addresses_and_the_name_of_a_file() -> None:
    line = shlex.split(printed("kafka://a:1/said", "otlp").stdout)
    job = next(number for number, part in enumerate(line) if part.endswith("job.py"))
    asked = _parser().parse_args(line[job + 1 :])
    assert (asked.facts, asked.verdicts, asked.lost) == ("kafka://a:1/facts", ["kafka://a:1/said", "otlp"], "fail")


def test_what_can_not_work_is_said_before_a_cluster_is_asked() -> None:
    for done in (printed("said", "otlp"), printed("said", facts="kafka://me:hunter2@a:1/facts")):
        assert done.exit_code == 2
        assert "hunter2" not in done.output


def test_a_job_that_nobody_would_hear_does_not_start(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ENDPOINTS:
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SystemExit) as left:
        main(["--facts", "facts", "--verdicts", "otlp", "--checkpoint", "ck"])
    assert left.value.code == 2
    assert "set OTEL_EXPORTER_OTLP_ENDPOINT on the driver" in capsys.readouterr().err
