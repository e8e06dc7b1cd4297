"""Spans that the real packages emitted come to the verdicts beside them, however they reach us.

The recordings are made by the scripts in `tools/record`; `spans/README.md` says which package and version each is of.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.histories.recorded import RECORDINGS, Recording, audited, executed, verdicts

EACH = pytest.mark.parametrize("recording", RECORDINGS, ids=lambda one: one.name)


@EACH
def test_a_recording_comes_to_its_verdicts(recording: Recording) -> None:
    assert verdicts(audited([recording.path])) == expected(recording)


@EACH
def test_as_many_calls_are_executed_as_tools_ran(recording: Recording) -> None:
    """None is counted twice and no two are merged. Where spans can't show it, the golden says why."""
    told = golden(recording)
    if "limit" not in told:
        assert executed(told) == recording.ran
    else:
        assert executed(told) != recording.ran, f"{told['limit']!r} is no limit any more"


@EACH
def test_spans_that_are_exported_again_change_nothing(recording: Recording, tmp_path: Path) -> None:
    again = tmp_path / "again.jsonl"
    again.write_text("".join(recording.lines), encoding="utf-8")
    assert verdicts(audited([recording.path, again])) == expected(recording)


@EACH
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_spans_in_a_file_changes_nothing(recording: Recording, seed: int, tmp_path: Path) -> None:
    lines = recording.lines
    random.Random(seed).shuffle(lines)
    shuffled = tmp_path / "shuffled.jsonl"
    shuffled.write_text("".join(lines), encoding="utf-8")
    assert verdicts(audited([shuffled])) == expected(recording)


@EACH
def test_a_recording_holds_nothing_of_the_machine_that_it_was_made_on(recording: Recording) -> None:
    text = "".join(recording.lines)
    for private in ("site-packages", "/home/", "/root/", "/tmp/", "/Users/", "/work/", "Traceback"):
        assert private not in text
    assert set(recording.about) >= {"service.name", "recording.how", "recording.ran"}


def test_every_recording_has_its_verdicts_and_its_line_in_the_table() -> None:
    table = (Path(__file__).with_name("spans") / "README.md").read_text(encoding="utf-8")
    for recording in RECORDINGS:
        assert recording.golden.exists(), recording.name
        assert f"`{recording.path.parent.relative_to(recording.path.parents[1]).as_posix()}`" in table, recording.name


def golden(recording: Recording) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(recording.golden.read_text(encoding="utf-8"))
    return told


def expected(recording: Recording) -> dict[str, Any]:
    return {name: value for name, value in golden(recording).items() if name != "limit"}
