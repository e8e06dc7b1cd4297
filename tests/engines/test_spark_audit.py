"""An audit on Spark says what the audit in one process says, to the byte, whatever it is given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from counterfoil.archives import writing
from counterfoil.archives.writing import archived
from counterfoil.auditing.judging import judgements
from counterfoil.auditing.parts import Asked
from counterfoil.auditing.sources import sources
from counterfoil.auditing.taking_in import take_in
from counterfoil.auditing.told import Told, told
from counterfoil.config import Config
from counterfoil.engines.audit import audited
from tests.archives.folders import counterfoil, fleet, mixture
from tests.engines.sparks import spark

NOW = 2**60


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return mixture(tmp_path_factory.mktemp("lines"))


@pytest.mark.parametrize("form", [["--ndjson"], ["--rows", "3"]], ids=" ".join)
def test_the_command_says_the_same_to_the_byte_of_archives_and_of_lines_beside_them(
    lines: Path, tmp_path: Path, form: list[str]
) -> None:
    half = tmp_path / "half"
    half.mkdir()
    for number, path in enumerate(sorted(lines.glob("*.ndjson"))):
        if number % 2:
            path.rename(half / path.name)
    try:
        assert counterfoil("archive", half, "--to", tmp_path / "evidence").returncode == 0
        plain = counterfoil("audit", tmp_path / "evidence", lines, *form)
        on_spark = counterfoil("audit", tmp_path / "evidence", lines, *form, "--engine", "spark")
    finally:
        for path in half.iterdir():
            path.rename(lines / path.name)
    assert on_spark.returncode == plain.returncode == 0, on_spark.stderr.decode()
    assert on_spark.stdout == plain.stdout
    assert [line for line in on_spark.stderr.splitlines() if line.startswith(b"skipped")] == plain.stderr.splitlines()


def test_what_two_thousand_operations_share_is_found_over_many_files_and_tasks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "GROUP", 300)
    folder = fleet(tmp_path)
    archives = [archived([source], tmp_path / "archives", Config())[0] for source in sources([str(folder)])]
    expected = [told(one, NOW, Config()) for one in judgements(take_in(sources([str(folder)])))]
    assert _on_spark(list(map(str, archives))) == sorted(expected, key=lambda one: one.place)


def test_no_archive_at_all_is_nothing_to_judge() -> None:
    assert _on_spark([]) == []


def _on_spark(archives: Sequence[str]) -> list[Told]:
    spark()
    with audited(archives, Asked(Config(), NOW, 0)) as work:
        return sorted(work.worst, key=lambda one: one.place)
