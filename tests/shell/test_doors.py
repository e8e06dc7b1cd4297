"""The doors themselves: what they cost when they are shut, and that whatever goes wrong in them stays there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PTH = ROOT / "counterfoil.pth"


def python(code: str, *flags: str, **variables: str) -> str:
    """What a program prints in an interpreter that knows no variables but these."""
    clean = {"PATH": os.defpath, **variables}
    command = [sys.executable, *flags, "-c", code]
    done = subprocess.run(command, env=clean, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip()


def loaded(**variables: str) -> set[str]:
    """The modules of an interpreter that has only started."""
    return set(python("import sys; print(*sys.modules)", **variables).split())


# ------------------------------------------------------------------------ shut


def test_the_file_is_one_line_that_asks_for_one_variable() -> None:
    line = PTH.read_text(encoding="utf-8")
    assert line.count("\n") == 1
    assert line.startswith('import os; os.environ.get("COUNTERFOIL_ENABLED") and ')


def test_a_shut_door_loads_nothing() -> None:
    """The folder of packages also holds the file; what it adds is told apart by running its line once more."""
    before_and_after = (
        f"import sys; before = set(sys.modules); exec({PTH.read_text()!r}); print(*set(sys.modules) - before)"
    )
    assert python(before_and_after) == ""
    assert not {name for name in loaded() if name.startswith("counterfoil")}


def test_an_open_door_loads_neither_opentelemetry_nor_anything_else_of_ours() -> None:
    more = loaded(COUNTERFOIL_ENABLED="true") - loaded()
    assert {name for name in more if "opentelemetry" in name} == set()
    assert {name for name in more if name.startswith("counterfoil")} == {
        "counterfoil",
        "counterfoil.doors",
        "counterfoil.doors.agents",
        "counterfoil.doors.asked",
        "counterfoil.doors.boot",
        "counterfoil.doors.capturing",
        "counterfoil.doors.leaving",
        "counterfoil.doors.pipelines",
        "counterfoil.doors.post_import",
    }


@pytest.mark.parametrize(
    ("value", "armed"), [("true", "('pth',)"), ("1", "('pth',)"), ("TRUE", "('pth',)"), ("false", "()"), ("0", "()")]
)
def test_the_variable_says_yes_or_no(value: str, armed: str) -> None:
    code = "from counterfoil.doors.boot import armed_by; print(armed_by())"
    assert python(code, COUNTERFOIL_ENABLED=value) == armed
    assert python(code, "-I", COUNTERFOIL_ENABLED=value) == armed


def test_nothing_of_ours_asks_to_be_the_distro_or_an_exporter() -> None:
    """Each of these groups takes one only, or makes somebody write a variable that breaks others."""
    assert {each.group for each in distribution("counterfoil").entry_points} == {
        "console_scripts",
        "opentelemetry_instrumentor",
        "opentelemetry_pre_instrument",
        "opentelemetry_resource_detector",
    }


# ------------------------------------------------------------------- what breaks in here

BROKEN = """
import sys, types
broken = types.ModuleType("counterfoil.processor")
def attach(provider, config=None):
    raise RuntimeError("the secret is 42")
broken.attach = attach
sys.modules["counterfoil.processor"] = broken
from opentelemetry.sdk.trace import TracerProvider
for _ in range(3):
    with TracerProvider().get_tracer("shop").start_as_current_span("work") as span:
        print("works" if span.is_recording() else "lost")
"""


def test_a_processor_that_can_not_be_attached_is_told_once_and_without_its_words() -> None:
    command = [sys.executable, "-c", BROKEN]
    env = {"PATH": os.defpath, "COUNTERFOIL_ENABLED": "true"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["works"] * 3
    assert done.stderr == (
        "counterfoil: not attached (RuntimeError); run `counterfoil doctor`, or unset COUNTERFOIL_ENABLED\n"
    )


WATCHED = """
import sys
from counterfoil.doors.post_import import after_import
told = []
after_import("watched", lambda module: told.append(module.NAME), told.append)
after_import("watched", lambda module: module.NOTHING, lambda trouble: told.append(type(trouble).__name__))
import watched, inspect, importlib.util, runpy
print(*told)
after_import("watched", lambda module: told.append("at once"), told.append)
print(told[-1])
print(watched.__spec__.loader is watched.__loader__, type(watched.__loader__).__name__)
print(inspect.getsource(watched).strip())
print(runpy.run_module("watched")["NAME"])
try:
    import watched.nothing_here
except ModuleNotFoundError as missing:
    print(missing.name)
"""


def test_a_watched_module_is_imported_as_always(tmp_path: Path) -> None:
    (tmp_path / "watched.py").write_text("NAME = 'seen'\n")
    assert python(WATCHED, PYTHONPATH=str(tmp_path)).splitlines() == [
        "seen AttributeError",
        "at once",
        "True SourceFileLoader",
        "NAME = 'seen'",
        "seen",
        "watched.nothing_here",
    ]


def test_a_watched_module_that_is_not_there_is_missed_as_always() -> None:
    code = """
from counterfoil.doors.post_import import after_import
after_import("never_written", print, print)
try:
    import never_written
except ModuleNotFoundError as missing:
    print(missing)
"""
    assert python(code) == "No module named 'never_written'"


# ------------------------------------------------------------------- a configuration file's options


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        ({}, {}),
        ({"settle_after": "2m"}, {"COUNTERFOIL_ENABLED": "true", "COUNTERFOIL_SETTLE_AFTER": "2m"}),
        ({"emit": ["spans", "events"]}, {"COUNTERFOIL_ENABLED": "true", "COUNTERFOIL_EMIT": "spans,events"}),
        ({"enabled": False}, {"COUNTERFOIL_ENABLED": "false"}),
        ({"max_operations": 500}, {"COUNTERFOIL_ENABLED": "true", "COUNTERFOIL_MAX_OPERATIONS": "500"}),
    ],
)
def test_options_are_settings_by_another_spelling(options: Mapping[str, object], settings: Mapping[str, str]) -> None:
    from counterfoil.doors.instrumentor import as_settings

    assert as_settings(options) == settings
