"""The host is never harmed: a real agent works as well with a fault in any function of ours as without us."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.shell.faults import SECRET

ROOT = Path(__file__).parents[2]
COUNTS = "counterfoil.telling.meters.Meters.error"
Row = dict[str, Any]


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """First the run without a fault, then a row for each function that was made to fail."""
    command = [sys.executable, "-m", "tests.shell.harming", str(tmp_path_factory.mktemp("ledgers"))]
    env = {"PATH": os.defpath}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert SECRET not in done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def faults(rows: list[Row]) -> list[Row]:
    return rows[1:]


def names(rows: list[Row]) -> list[str]:
    return [row["function"] for row in rows]


def test_every_room_that_a_callback_reaches_is_made_to_fail(faults: list[Row]) -> None:
    rooms = {name.split(".")[1] for name in names(faults)}
    assert rooms >= {"book", "config", "judge", "ledger", "processor", "reading", "rules", "telling"}
    assert len(faults) > 100


def test_these_are_called_by_others_than_us(rows: list[Row]) -> None:
    """The entries: each of them is a guard, or does nothing but call guards."""
    assert {name.rpartition(".")[2] for name in rows[0]["entries"]} == {
        "attach",
        "on_start",
        "on_end",
        "force_flush",
        "shutdown",
        "_run",
    }


def test_the_agent_answers_and_its_spans_are_the_same_as_without_us(rows: list[Row]) -> None:
    assert [row.get("function", "no fault") for row in rows if not (row["answers"] and row["host"])] == []


def leaves_a_trace(row: Row) -> bool:
    """Counted; or told, where it could not be counted. A rule that breaks is no error of the process: what it was asked
    about becomes unreadable."""
    told = row["not_attached"] or (row["logged"] and row["function"] == COUNTS)
    return bool(row["errors"] or told or "indeterminate unreadable" in row["said"] or not row["calls"])


def test_every_fault_is_counted_or_told_or_is_the_reason_of_a_doubt(faults: list[Row]) -> None:
    assert names([row for row in faults if not leaves_a_trace(row)]) == []


def test_each_kind_is_logged_once_and_in_words_of_our_own(faults: list[Row]) -> None:
    for row in faults:
        assert len(row["logged"]) == len(set(row["logged"])), row
        assert SECRET not in str(row)
        if row["errors"]:
            assert re.fullmatch(r"an error of counterfoil was kept .* \([a-z_]+:[A-Za-z]+\); .*", row["logged"][0])


def test_a_fault_makes_doubt_and_never_a_conviction(rows: list[Row], faults: list[Row]) -> None:
    usual = set(rows[0]["said"])
    for row in faults:
        others = [said for said in row["said"] if said not in usual]
        assert all(said.startswith("indeterminate ") for said in others), row
