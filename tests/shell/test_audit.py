"""What `counterfoil audit` says to people and to programs."""

import os
import pty
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.shell.audit import (
    attempt,
    audit,
    audit_of,
    charged_once,
    charged_twice,
    intent,
    line,
    never_heard_of_again,
)

STORIES = (*charged_once(), *charged_twice(), *never_heard_of_again())


def test_the_table_tells_the_worst_first_in_a_sentence_each_and_sums_up() -> None:
    told = audit_of(*STORIES, options=())
    rows = [row.split(maxsplit=2) for row in told.stdout.splitlines() if " op-" in row]
    assert [row[:2] for row in rows] == [
        ["duplicate_effect", "op-2"],
        ["indeterminate", "op-3"],
        ["verified_applied", "op-1"],
    ]
    assert rows[0][2].startswith("charge_card took effect twice where 1 was meant")
    assert told.stdout.splitlines()[-1] == (
        "3 operations: 1 duplicate_effect, 1 indeterminate, 1 verified_applied; "
        "2 of 3 with a look at the target; 10 facts, 0 lines skipped."
    )
    assert (told.exit_code, told.stderr) == (0, "")


def test_a_long_table_is_cut_after_the_worst_and_says_so() -> None:
    many = [record for n in range(300) for record in charged_once(f"op-{n:03d}")]
    told = audit_of(*many, *charged_twice("op-worst"), options=("--rows", "2"))
    assert names_in(told.stdout) == ["op-worst", "op-000"]
    assert "… and 299 more operations" in told.stdout
    assert len(names_in(audit_of(*many, options=("--rows", "0")).stdout)) == 300


def names_in(table: str) -> list[str]:
    """The operations in a table, in its order."""
    rows = [row.split() for row in table.splitlines()]
    return [row[1] for row in rows if len(row) > 1 and row[1].startswith("op-")]


def test_colour_is_for_terminals_only(tmp_path: Path) -> None:
    (tmp_path / "e.ndjson").write_bytes(b"\n".join(map(line, STORIES)))
    command = [sys.executable, "-m", "counterfoil", "audit", str(tmp_path)]
    piped = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout
    assert b"\x1b" not in piped

    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"}
    with subprocess.Popen(command, stdout=theirs, env=environment) as running:
        os.close(theirs)
        shown = b""
        while chunk := _read(ours):
            shown += chunk
    os.close(ours)
    assert running.returncode == 0
    assert b"\x1b[1;31mduplicate_effect" in shown


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # the other side has closed it
        return b""


def test_a_name_cannot_move_the_cursor() -> None:
    told = audit_of(*charged_once("op\x1b[2J\u202egnp"), options=())
    assert "op\ufffd[2J\ufffdgnp" in told.stdout
    assert re.search(r"[\x1b\u202e]", told.stdout) is None


def test_json_has_everything() -> None:
    told = audit_of(*STORIES, b"no json").json
    assert told.keys() >= {"operations", "histories", "skipped", "facts"}
    assert (told["skipped"], told["facts"], told["histories"]) == (1, 10, {})
    twice = told["operations"]["op-2"]
    assert twice["verdict"] == twice["outcome"] == "duplicate_effect"
    assert (twice["findings"], twice["reason"], twice["severity"]) == ([], None, "page")
    assert twice["next_action"] == "stop retries; compensate or ask a person"
    assert {witness["effect_ref"] for witness in twice["witnesses"]} == {"charge of op-2", "second charge of op-2"}
    assert told["operations"]["op-3"]["reason"] == "ambiguous"


def test_ndjson_has_a_line_for_each_operation_and_each_message_list() -> None:
    history = {"kind": "history", "history_id": "h-1", "provenance": "client", "messages": []}
    told = audit_of(*STORIES, history, options=("--ndjson",)).lines
    assert [one.get("operation_id", one.get("history_id")) for one in told] == ["op-1", "op-2", "op-3", "h-1"]
    assert told[-1]["findings"] == ["untrusted_history"]


def test_message_lists_have_a_table_of_their_own() -> None:
    history = {"kind": "history", "history_id": "h-1", "provenance": "client", "messages": []}
    told = audit_of(history, options=()).stdout
    assert "untrusted_history   h-1" in told
    assert told.endswith("0 operations; 1 message list: 1 untrusted_history; 1 fact, 0 lines skipped.\n")


def test_two_lists_under_one_name_fail_together_whatever_their_order() -> None:
    trusted = {"kind": "history", "history_id": "h", "provenance": "server_store", "messages": []}
    lists = [{**trusted, "provenance": "client"}, {**trusted, "owner": "a", "caller": "b"}, trusted]
    told = audit_of(*lists).json["histories"]
    assert told["h"]["verdict"] == "untrusted_history"
    assert told["h"]["failures"]["untrusted_history"] == ["provenance is client", "the owner is not the caller"]
    assert told == audit_of(*reversed(lists)).json["histories"]


def test_the_same_facts_give_the_same_bytes_in_any_order() -> None:
    assert audit_of(*STORIES).stdout == audit_of(*reversed(STORIES), *STORIES).stdout


# ---------------------------------------------------------------------- severity


def test_what_nobody_heard_of_for_longer_than_its_deadline_becomes_a_ticket() -> None:
    now = datetime.now(UTC).isoformat()
    old, fresh = never_heard_of_again("old"), never_heard_of_again("fresh", observed_at=now)
    told = audit_of(*old, *fresh).json["operations"]
    assert {name: (one["reason"], one["severity"]) for name, one in told.items()} == {
        "old": ("ambiguous", "ticket"),
        "fresh": ("ambiguous", "none"),
    }


def test_a_clean_call_without_a_receipt_never_becomes_one() -> None:
    told = audit_of(intent(), attempt("a")).json["operations"]["op-1"]
    assert (told["reason"], told["severity"]) == ("unverified", "none")


def test_a_gap_is_a_ticket_and_counts_as_a_fact() -> None:
    gap = {"kind": "gap", "what": "spans_dropped", "observed_at": "2026-01-01T00:00:00Z"}
    told = audit_of(*never_heard_of_again(), gap, gap).json
    assert (told["operations"]["op-3"]["reason"], told["operations"]["op-3"]["severity"]) == ("telemetry_gap", "ticket")
    assert told["facts"] == 3


# -------------------------------------------------------------------- exit codes


@pytest.mark.parametrize(
    ("watched", "code"),
    [
        (["duplicate_effect"], 1),
        (["key_conflict"], 0),
        (["key_conflict,duplicate_effect"], 1),
        (["key_conflict", "--fail-on", " duplicate_effect "], 1),
        (["unsafe_retry,false_success,ready"], 0),
        ([""], 0),
    ],
)
def test_what_is_watched_for_ends_with_1(watched: list[str], code: int) -> None:
    assert audit_of(*STORIES, options=("--fail-on", *watched)).exit_code == code


def test_what_hides_behind_a_worse_verdict_is_seen_too() -> None:
    """One key for two payloads decides the verdict; that two effects came of it stays the outcome."""
    records = [*charged_twice(), attempt("c", "op-2", 40, payload_hash="sha256:" + "b" * 64)]
    assert audit_of(*records).json["operations"]["op-2"]["verdict"] == "key_conflict"
    assert audit_of(*records, options=("--fail-on", "duplicate_effect")).exit_code == 1


def test_an_unknown_word_is_a_usage_error_that_names_the_known_ones() -> None:
    told = audit_of(*STORIES, options=("--fail-on", "duplicates"))
    assert told.exit_code == 2
    assert "'duplicates' is no verdict" in told.stderr
    assert "duplicate_effect" in told.stderr
    assert told.stdout == ""


@pytest.mark.parametrize("arguments", [(), ("nowhere.ndjson",), ("-", "--json", "--ndjson"), ("-", "--rows", "-1")])
def test_a_wrong_call_ends_with_2(arguments: tuple[str, ...]) -> None:
    assert audit(*arguments).exit_code == 2


@pytest.mark.parametrize("content", [b"", b"\n\n", b"no json", b'{"kind":"intent"}', b"\x00\xff" * 100])
def test_nothing_that_could_be_parsed_ends_with_3(content: bytes) -> None:
    told = audit("-", "--json", stdin=content)
    assert told.exit_code == 3
    assert (told.json["operations"], told.json["facts"]) == ({}, 0)


def test_a_reader_that_has_seen_enough_ends_it_quietly(tmp_path: Path) -> None:
    many = [record for n in range(3_000) for record in charged_once(f"op-{n}")]
    (tmp_path / "e.ndjson").write_bytes(b"\n".join(map(line, many)))
    command = [sys.executable, "-m", "counterfoil", "audit", str(tmp_path), "--ndjson"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
