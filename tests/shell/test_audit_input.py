"""What `counterfoil audit` reads, and what becomes of input that nobody should have written."""

import gzip
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from counterfoil.reading.lines import NoLine, lines
from tests.shell.audit import attempt, audit, audit_of, charged_once, charged_twice, intent, line, receipt

MIB = 1024 * 1024


def ndjson(*records: dict[str, object]) -> bytes:
    return b"".join(line(record) + b"\n" for record in records)


# ------------------------------------------------------------------------- paths


def test_folders_are_read_through_and_files_by_what_they_hold(tmp_path: Path) -> None:
    (tmp_path / "deep" / "deeper").mkdir(parents=True)
    (tmp_path / "a.ndjson").write_bytes(ndjson(*charged_once("op-a")))
    (tmp_path / "deep" / "b.jsonl.gz").write_bytes(gzip.compress(ndjson(*charged_once("op-b"))))
    (tmp_path / "deep" / "deeper" / "c.json").write_bytes(gzip.compress(ndjson(*charged_once("op-c"))))
    (tmp_path / "notes.txt").write_bytes(b"not looked at")
    (tmp_path / "named.txt").write_bytes(ndjson(*charged_once("op-d")))
    told = audit(tmp_path, tmp_path / "named.txt", "--json").json
    assert sorted(told["operations"]) == ["op-a", "op-b", "op-c", "op-d"]
    assert told["skipped"] == 0


def test_one_operation_may_be_told_of_in_many_places(tmp_path: Path) -> None:
    """The key conflict is between two files; one of them comes from standard input, packed."""
    (tmp_path / "a.ndjson").write_bytes(ndjson(*charged_once("op-1")))
    other = attempt("x", "op-9", idempotency_key="key of op-1", payload_hash="sha256:" + "b" * 64)
    told = audit(tmp_path, "-", "--json", stdin=gzip.compress(line(other))).json["operations"]
    assert {name: one["verdict"] for name, one in told.items()} == {"op-1": "key_conflict", "op-9": "key_conflict"}


def test_windows_line_ends_a_byte_order_mark_and_blank_lines_are_nothing() -> None:
    told = audit("-", "--json", stdin=b"\xef\xbb\xbf" + ndjson(*charged_once()).replace(b"\n", b"\r\n  \r\n"))
    assert told.json["facts"] == 3
    assert (told.json["skipped"], told.stderr) == (0, "")


# --------------------------------------------------------------------- bad lines

DEEP = b'{"kind":"intent","operation_id":"op-1","x":' + b"[" * 10_000 + b"]" * 10_000 + b"}"
WHOLE = line(receipt("another charge", second=9))
TWICE = b'"observed_at":"2026-01-01T00:00:09Z","source":"probe","count":2,"authoritative":true'
BAD: dict[str, bytes] = {
    "broken": b'{"kind":"effect","operation_id":"op-1"',
    "truncated": WHOLE[:-1],
    "no object": b"[1,2]",
    "neither evidence nor telemetry": b'{"operation_id":"op-1"}',
    "unknown kind": b'{"kind":"rumour","operation_id":"op-1"}',
    "kind of a wrong type": b'{"kind":["effect"],"operation_id":"op-1"}',
    "required field missing": b'{"kind":"attempt","operation_id":"op-1","observed_at":"2026-01-01T00:00:09Z"}',
    "NaN": b'{"kind":"effect","operation_id":"op-1","count":NaN,"effect_ref":"r",' + TWICE + b"}",
    "infinite": b'{"kind":"effect","operation_id":"op-1",' + TWICE.replace(b":2,", b":Infinity,") + b"}",
    "too large": b'{"kind":"effect","operation_id":"op-1",' + TWICE.replace(b":2,", b":2e999,") + b"}",
    "half of two": b'{"kind":"effect","operation_id":"op-1",' + TWICE.replace(b":2,", b":2.5,") + b"}",
    "count as text": b'{"kind":"effect","operation_id":"op-1",' + TWICE.replace(b":2,", b':"2",') + b"}",
    "count as truth": b'{"kind":"effect","operation_id":"op-1",' + TWICE.replace(b":2,", b":true,") + b"}",
    "reference of a wrong type": WHOLE.replace(b'"another charge"', b'{"a":1}'),
    "reference too long": WHOLE.replace(b"another charge", b"r" * 2_000),
    "lone surrogate": WHOLE.replace(b"another charge", b"\\ud800"),
    "no UTF-8": WHOLE.replace(b"another charge", b"\xff\xfe"),
    "no time": WHOLE.replace(b"2026-01-01T00:00:09.000Z", b"yesterday"),
    "no offset": WHOLE.replace(b"09.000Z", b"09.000"),
    "30th of February": WHOLE.replace(b"2026-01-01", b"2026-02-30"),
    "binary": bytes(set(range(256)) - {10, 13}),
    "deep": DEEP,
}


@pytest.mark.parametrize("bad", BAD.values(), ids=list(BAD))
def test_a_bad_line_is_counted_and_named_and_convicts_nobody(bad: bytes) -> None:
    told = audit_of(*charged_once(), bad, bad, *charged_once("op-2"))
    assert told.json["skipped"] == 1
    assert told.stderr.startswith("skipped -:4: ")
    assert len(told.stderr.splitlines()) == 1
    assert {one["verdict"] for one in told.json["operations"].values()} == {"verified_applied"}
    assert told.exit_code == 0


def test_a_line_cut_off_at_the_end_of_a_file_is_bad_and_a_whole_one_without_a_line_feed_is_good(tmp_path: Path) -> None:
    content = ndjson(*charged_once())
    (tmp_path / "whole.ndjson").write_bytes(content[:-1])
    (tmp_path / "cut.ndjson").write_bytes(content[:-2])
    assert audit(tmp_path / "whole.ndjson", "--json").json["skipped"] == 0
    cut = audit(tmp_path / "cut.ndjson", "--json")
    assert cut.json["operations"]["op-1"]["verdict"] == "indeterminate"
    assert cut.stderr.endswith("cut.ndjson:3: no JSON\n")


def test_what_is_wrong_with_a_line_never_repeats_what_it_says() -> None:
    told = audit_of(*(bad.replace(b"op-1", b"secret-1") for bad in BAD.values()))
    assert "secret" not in told.stderr


def test_a_bad_line_that_names_its_operation_leaves_it_in_doubt() -> None:
    """All attempts provably did nothing, but something about the operation could not be read."""
    stopped = [intent(), attempt("a", transport="error", executed=False, proof="argument_validation")]
    assert audit_of(*stopped).json["operations"]["op-1"]["verdict"] == "verified_not_applied"
    doubted = audit_of(*stopped, BAD["NaN"]).json
    assert doubted["operations"]["op-1"]["verdict"] == "indeterminate"
    assert doubted["operations"]["op-1"]["reason"] == "unreadable"
    assert doubted["facts"] == 2


def test_a_kind_that_is_not_known_yet_is_skipped_and_leaves_no_doubt() -> None:
    stopped = [intent(), attempt("a", transport="error", executed=False, proof="argument_validation")]
    told = audit_of(*stopped, BAD["unknown kind"]).json
    assert told["operations"]["op-1"]["verdict"] == "verified_not_applied"


def test_a_line_that_another_reader_could_not_read_leaves_the_same_doubt_here() -> None:
    """A ledger that is exported, and an agent whose facts travel, say so by a line of its own."""
    said = {"kind": "unreadable", "operation_id": "op-1", "observed_at": "1970-01-01T00:00:00Z", "field": "count"}
    stopped = [intent(), attempt("a", transport="error", executed=False, proof="argument_validation")]
    told = audit_of(*stopped, said, said).json
    assert (told["operations"]["op-1"]["reason"], told["skipped"], told["facts"]) == ("unreadable", 0, 2)


def test_fields_that_are_not_known_are_ignored_and_counted_apart() -> None:
    told = audit_of(*({**record, "colour": "red", "size": [1]} for record in charged_once())).json
    assert (told["skipped"], told["facts"], told["unlisted_fields"]) == (0, 3, 6)


def test_a_name_given_twice_means_its_last_value() -> None:
    twice = line(receipt("charge of op-1")).replace(b'"effect_ref"', b'"effect_ref": "another", "effect_ref"')
    told = audit_of(*charged_once(), twice).json
    assert told["operations"]["op-1"]["verdict"] == "verified_applied"
    assert told["facts"] == 3


def test_many_bad_lines_are_counted_and_the_first_are_named() -> None:
    told = audit_of(*charged_once(), *(b"bad %d" % n for n in range(500)))
    assert told.json["skipped"] == 500
    assert told.stderr.splitlines()[0] == "skipped -:4: no JSON"
    assert told.stderr.splitlines()[-1] == "skipped 480 more lines"


# ------------------------------------------------------------------- bad streams


def test_a_line_of_50_mb_is_passed_over_without_being_held() -> None:
    def chunks() -> Iterator[bytes]:
        yield b'{"kind":"intent","x":"'
        for _ in range(50):
            yield bytes(MIB).replace(b"\0", b"x")
        yield b'"}\nnext\n'

    tracemalloc.start()
    try:
        read = list(lines(chunks(), limit=4 * MIB))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [one if isinstance(one, bytes) else one.what for one in read] == ["longer than 4194304 bytes", b"next"]
    assert peak < 12 * MIB


def test_an_audit_goes_on_after_a_line_of_50_mb(tmp_path: Path) -> None:
    long = line(receipt("another charge", second=9))[:-1] + b',"x":"' + b"x" * (50 * MIB) + b'"}'
    (tmp_path / "long.ndjson.gz").write_bytes(
        gzip.compress(b"\n".join([long, long, ndjson(*charged_once())]), compresslevel=1)
    )
    told = audit(tmp_path, "--json")
    assert told.json["operations"]["op-1"]["verdict"] == "verified_applied"
    assert told.json["skipped"] == 1
    assert told.stderr.endswith("long.ndjson.gz:1: longer than 16777216 bytes\n")


@pytest.mark.parametrize(
    ("broken", "facts"),
    [
        (gzip.compress(ndjson(*charged_once()))[:-9], 3),
        (gzip.compress(ndjson(*charged_once())) + b"trailing", 3),
        (gzip.compress(ndjson(*charged_once()))[:4], 0),
        (b"\x1f\x8b" + ndjson(*charged_once()), 0),
    ],
    ids=["cut off", "followed by something else", "nothing but a head", "no gzip at all"],
)
def test_a_broken_gzip_stream_is_read_as_far_as_it_goes(tmp_path: Path, broken: bytes, facts: int) -> None:
    (tmp_path / "a.ndjson.gz").write_bytes(broken)
    told = audit(tmp_path, "--json")
    assert told.json["facts"] == facts
    assert told.json["skipped"] == 1
    assert "a.ndjson.gz:" in told.stderr
    assert "the stream broke" in told.stderr


def test_gzip_files_one_after_the_other_are_one_file() -> None:
    packed = b"".join(gzip.compress(line(record) + b"\n") for record in charged_twice()) + bytes(512)
    assert audit("-", "--json", stdin=packed).json["operations"]["op-2"]["verdict"] == "duplicate_effect"


@pytest.mark.parametrize("size", [1, 2, 7])
def test_lines_are_the_same_however_the_bytes_arrive(size: int) -> None:
    content = b"a\n\nbb\nccc\n\nlast"
    for packed in (content, gzip.compress(content), gzip.compress(content[:5]) + gzip.compress(content[5:])):
        chunks = [packed[n : n + size] for n in range(0, len(packed), size)]
        assert list(lines(chunks)) == content.split(b"\n")
        assert [isinstance(one, NoLine) for one in lines(chunks, limit=2)] == [False] * 3 + [True, False, True]


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_judged(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_bytes(ndjson(*charged_once()))
    (tmp_path / "b.ndjson").symlink_to(tmp_path / "nowhere")
    told = audit(tmp_path, "--json")
    assert told.json["operations"]["op-1"]["verdict"] == "verified_applied"
    assert told.stderr.endswith("b.ndjson:1: the stream broke: No such file or directory\n")
    assert told.json["skipped"] == 1
