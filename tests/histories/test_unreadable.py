"""What can't be read is refused in plain words, which hold nothing of it."""

import json
import warnings
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from traceback import format_exception
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic_ai.messages import TextPart

from counterfoil.histories import pydantic_stored
from counterfoil.histories.pydantic_stored import UnreadableHistory, digest, loaded
from tests.histories.lists import audited, dumped, opening, paid, request, response, result

CANARY = "c4n4ry"
STORED: list[Any] = json.loads(dumped(paid()))


def refused(stored: Any) -> str:
    with pytest.raises(UnreadableHistory) as why:
        audited(stored)
    assert CANARY not in "".join(format_exception(why.value)), "neither it nor its cause may quote the list"
    return str(why.value)


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


@pytest.mark.parametrize(
    "stored",
    [
        b"",
        b"   ",
        b"null",
        b"true",
        b"12",
        f'"{CANARY}"'.encode(),
        f'["{CANARY}"]'.encode(),
        f'[{{"{CANARY}": 1}}]'.encode(),
        f'[{{"kind": "{CANARY}"}}]'.encode(),
        f'[{{"kind": "request", "parts": "{CANARY}"}}]'.encode(),
        f'[{{"kind": "request", "parts": [{{"part_kind": "{CANARY}"}}]}}]'.encode(),
        f'[{{"kind": "request", "parts": [{{"part_kind": "system-prompt", "content": ["{CANARY}"]}}]}}]'.encode(),
        dumped(paid())[:-40],
        dumped(paid()) + b"]",
        b"\xff\xfe\x00binary",
        b'[{"kind": "request", "parts": [], "run_id": "\xc3\x28"}]',
        b'["\\ud800"]',
        b"[NaN]",
        nested(10_000),
        b'{"messages": ' + nested(10_000) + b"}",
        b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
        b"{}",
        b'{"messages": 5}',
        b'{"messages": [5]}',
        f'{{"messages": [], "usage": "{CANARY}"}}'.encode(),
        b'{"messages"',
        b"1" * 100_000,
    ],
)
def test_hostile_json_is_refused(stored: bytes) -> None:
    refused(stored)


def test_the_message_that_is_wrong_is_named_and_not_shown() -> None:
    broken = [*STORED[:2], {**STORED[2], "parts": [{"part_kind": "tool-return", "content": CANARY}]}, STORED[3]]
    assert refused(json.dumps(broken).encode()) == "it is no list of Pydantic AI messages (message 2: missing)"


def test_what_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "history.json"
    with file.open("wb") as huge:
        huge.truncate(50 * 2**20)
    assert refused(file) == "it is larger than 32 MiB"
    monkeypatch.setattr(pydantic_stored, "MAX_MESSAGES", 3)
    assert refused(paid()) == "more than 3 messages"


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path / "missing.json") == "the file can't be read: No such file or directory"
    assert refused(tmp_path) == "the file can't be read: Is a directory"


@pytest.mark.parametrize("stored", [None, 5, "[]", {"messages": []}, object()])
def test_what_is_no_list_at_all_is_a_mistake_of_the_caller(stored: object) -> None:
    with pytest.raises(TypeError, match=r"give a list of messages, .* not"):
        audited(stored)


@pytest.mark.parametrize(
    "stored",
    [
        ["message"],
        [None],
        [object()],
        [request(result(metadata=object()))],
        [request(result(metadata={"at": lambda: CANARY}))],
        [response(TextPart(5))],  # type: ignore[arg-type]
    ],
)
def test_a_list_that_cannot_be_stored_is_refused(stored: list[Any]) -> None:
    refused(stored)


def test_no_warning_quotes_a_list() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        refused([response(TextPart([CANARY]))])  # type: ignore[arg-type]
    assert not told


def test_a_list_that_refers_to_itself_is_refused() -> None:
    circle: list[Any] = []
    circle.append(circle)
    refused([request(result(metadata=circle))])


def test_what_comes_back_as_the_same_json_is_the_same() -> None:
    """A datetime comes back as a text: other objects, the same canonical JSON."""
    told = result(metadata={"at": datetime(2026, 1, 1, tzinfo=UTC)})
    stored = loaded([opening(), request(told)])
    assert not stored.rewritten
    assert stored.messages[1].parts[0].metadata == {"at": "2026-01-01T00:00:00Z"}  # type: ignore[union-attr]


def test_parts_of_an_older_version_are_rewritten_and_that_is_noted() -> None:
    from pydantic_ai.messages import RetryPromptPart  # deprecated, and still in stored lists

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        retry = RetryPromptPart("again", tool_name="pay", tool_call_id="call_1")
    audit = audited([opening(), *paid()[1:2], request(retry)])
    notes = [note.what for note in audit.notes]
    assert "it does not come back from storage as it was; what comes back was audited" in notes
    assert [finding.value for finding in audit.findings] == ["missing_outcome_receipt"]


def test_a_digest_is_of_the_canonical_json() -> None:
    messages = paid()
    spelled_otherwise = json.dumps(json.loads(dumped(messages)), indent=1, sort_keys=True).encode()
    again = loaded(spelled_otherwise)
    assert digest(again.messages) == digest(messages)
    assert digest(messages, b"secret") != digest(messages)
    assert digest(messages[:-1]) != digest(messages)


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8) | st.just("x" * 5_000),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    return [path, *(place for key, part in inside for place in places(part, (*path, key)))]


def with_junk(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    if not path:
        return other
    copy = list(value) if isinstance(value, list) else dict(value)
    copy[path[0]] = with_junk(value[path[0]], path[1:], other)
    return copy


@settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(places(STORED)), junk)
def test_anything_anywhere_in_a_stored_list_is_judged_or_refused(path: tuple[Any, ...], other: Any) -> None:
    stored = json.dumps(with_junk(STORED, path, other)).encode()
    with suppress(UnreadableHistory):
        audited(stored)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.binary(max_size=200))
def test_any_bytes_are_judged_or_refused(stored: bytes) -> None:
    with suppress(UnreadableHistory):
        audited(stored)
