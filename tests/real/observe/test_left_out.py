"""A test that needs a program which the machine lacks says what it left out, and fails where that must not be."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real.programs import REQUIRE, require


@pytest.fixture(autouse=True)
def nothing_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(REQUIRE, raising=False)


def test_without_go_it_names_go() -> None:
    with pytest.raises(pytest.skip.Exception, match="left out: no Go toolchain"):
        require("collector")


def test_with_go_it_names_the_command(tmp_path: Path) -> None:
    (tmp_path / "go").touch(mode=0o755)
    with pytest.raises(pytest.skip.Exception, match=r"left out: .*`python -m tools\.observe\.build collector`"):
        require("collector")


def test_what_is_required_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(REQUIRE, "prometheus,collector")
    with pytest.raises(pytest.fail.Exception, match=f"{REQUIRE} names collector"):
        require("collector")
