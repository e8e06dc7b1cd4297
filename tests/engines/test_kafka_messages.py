"""A message is evidence or an export request, in JSON or protobuf: the same facts, and never the end of the job."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from google.protobuf.json_format import MessageToJson
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.engines.lines import CAUSES, addressed
from counterfoil.reading.lines import MAX_LINE
from tests.cases.case import CASES, Case
from tests.engines.test_every_engine import facts_of
from tests.judge.sending import logged, of_facts, request

FACT = {"kind": "effect", "operation_id": "o", "observed_at": "2026-01-01T00:00:00Z", "source": "probe"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_facts_are_the_same_in_every_encoding(case: Case) -> None:
    plain = list(addressed(line for line in case.lines if json.loads(line)["kind"] != "history"))
    sent = of_facts(facts_of(case))
    assert list(addressed([sent.SerializeToString()])) == plain
    assert list(addressed([MessageToJson(sent, indent=None).encode()])) == plain
    assert list(addressed([MessageToJson(sent).encode()])) == plain


def left_out(*messages: bytes) -> tuple[list[tuple[str, bytes]], dict[str, int]]:
    causes: Counter[str] = Counter()
    return list(addressed(messages, lambda cause: causes.update([cause]))), dict(causes)


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        (b"\xff\xfe", "unreadable"),
        (b"{", "unreadable"),
        (b"null", "unreadable"),
        (b"{}", "unreadable"),
        (b'{"kind": [1]}', "unreadable"),
        (b'{"resourceLogs": 7}', "unreadable"),
        (b"\n\x7fx", "unreadable"),
        (b"\n{broken", "unreadable"),
        (b" " * (MAX_LINE + 1), "too_large"),
    ],
    ids=lambda value: str(value[:12]),
)
def test_what_can_not_be_read_is_left_out_and_counted(message: bytes, cause: str) -> None:
    assert left_out(message) == ([], {cause: 1})


def test_what_names_its_operation_leaves_it_in_doubt() -> None:
    ((name, record),), causes = left_out(json.dumps(FACT | {"observed_at": 7}).encode())
    assert (name, causes) == ("o", {"unreadable": 1})
    assert b"unreadable" in record


def test_one_fact_that_is_wrong_costs_no_other_in_its_message() -> None:
    good = facts_of(CASES[0])[0]
    newer = logged(good, {"counterfoil.fact.version": 99})
    huge = logged(good, {"counterfoil.fact.record": "x" * 100_000})
    many = logged(good, {f"a{number}": 1 for number in range(100)})
    found, causes = left_out(request([newer, huge, logged(good), many]).SerializeToString())
    assert causes == {"newer_version": 1, "too_large": 1, "too_many_attributes": 1}
    assert next(addressed([of_facts([good]).SerializeToString()])) in found


def test_other_signals_and_other_logs_are_nobodys_evidence() -> None:
    assert left_out(b'{"resourceSpans": []}', b'{"resourceLogs": []}', b"") == ([], {})


@given(st.binary() | st.builds(lambda content: b"\n" + content, st.binary()) | st.text().map(str.encode))
def test_no_message_ends_a_job(message: bytes) -> None:
    _, causes = left_out(message)
    assert causes.keys() <= set(CAUSES)
