"""A build happens once, is whole or not there, and one at a time, whoever asks and however they end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.missing import LEFT_OUT
from tools.observe import cache
from tools.observe.build import PRODUCTS
from tools.observe.stack import PROJECT

PROGRAMS = ("tool",)

# Appends one line for each build that really happens, and shows whether two ever ran at once.
ASK = """
import sys
from pathlib import Path
from tools.observe import cache

journal = Path(sys.argv[1])

def build(into):
    with journal.open("a") as lines:
        lines.write("begin\\n")
    (into / "tool").write_text("whole")
    with journal.open("a") as lines:
        lines.write("end\\n")

print(cache.obtain(sys.argv[2], ("tool",), build)["tool"].read_text())
"""


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def write_tool(into: Path) -> None:
    (into / "tool").write_text("whole")


def test_processes_that_ask_at_once_build_once_and_in_turn(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    asking = [
        subprocess.Popen(
            [sys.executable, "-c", ASK, str(journal), entry], cwd=PROJECT, stdout=subprocess.PIPE, text=True
        )
        for entry in ("one", "one", "two", "one", "two")
    ]
    assert [each.communicate(timeout=60)[0] for each in asking] == ["whole\n"] * 5
    assert journal.read_text().split() == ["begin", "end"] * 2


def test_a_build_that_fails_leaves_nothing() -> None:
    def fails(into: Path) -> None:
        (into / "half").write_text("half")
        raise RuntimeError("no network")

    with pytest.raises(RuntimeError, match="no network"):
        cache.obtain("one", PROGRAMS, fails)
    assert [each.name for each in cache.root().iterdir()] == [".lock"]
    assert cache.lookup("one", PROGRAMS) is None
    assert cache.obtain("one", PROGRAMS, write_tool)["tool"].read_text() == "whole"


def test_a_build_that_forgets_a_program_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="ended without tool"):
        cache.obtain("one", PROGRAMS, lambda into: None)


def test_the_remains_of_a_killed_build_are_cleared_by_the_next() -> None:
    remains = cache.root() / ".building-killed"
    remains.mkdir(parents=True)
    cache.obtain("one", PROGRAMS, write_tool)
    assert not remains.exists()


def test_another_recipe_is_another_entry() -> None:
    assert cache.key("tool", "v1", "flags: a") != cache.key("tool", "v1", "flags: b")
    assert cache.key("tool", "v1", "flags: a") == cache.key("tool", "v1", "flags: a")


def test_a_machine_without_go_is_told_what_is_left_out(empty_cache: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "PATH"} | {"PATH": ""}
    done = subprocess.run(
        [sys.executable, "-m", "tools.observe.build"],
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == LEFT_OUT
    assert done.stdout == ""
    assert done.stderr.startswith(f"left out: {next(iter(PRODUCTS))}: no Go toolchain")
