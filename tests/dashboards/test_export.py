"""`counterfoil export` writes the committed files, from a checkout as from the installed wheel."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from counterfoil.cli.export import IN_A_CHECKOUT, Kind, Refused, export
from tests.dashboards.contract import ROOT

RUNBOOKS = ROOT / "dashboards" / "runbooks"


def texts(folder: Path) -> dict[str, str]:
    """Every file below a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}


def committed(kind: Kind) -> dict[str, str]:
    """What an export of that kind should hold."""
    pages = {} if kind is Kind.COLLECTOR else {f"runbooks/{name}": text for name, text in texts(RUNBOOKS).items()}
    return {**texts(ROOT / IN_A_CHECKOUT[kind]), **pages}


@pytest.mark.parametrize("kind", Kind)
def test_an_export_is_what_is_committed(kind: Kind, tmp_path: Path) -> None:
    written = export(kind, tmp_path / "new" / "folder")

    assert texts(tmp_path / "new" / "folder") == committed(kind)
    assert {path.relative_to(tmp_path / "new" / "folder").as_posix() for path in written} == set(committed(kind))
    assert "README.md" in committed(kind)


def test_alerts_can_point_to_runbooks_elsewhere(tmp_path: Path) -> None:
    for kind in (Kind.PROMETHEUS, Kind.GRAFANA, Kind.LOGFIRE):
        export(kind, tmp_path / kind, runbooks="https://wiki.example/counterfoil/")

    texts_of_all = texts(tmp_path)
    rules = texts_of_all["prometheus/counterfoil.rules.yml"]
    assert "runbook_url: https://wiki.example/counterfoil/CounterfoilIncidentOpen.md" in rules
    assert not [name for name, text in texts_of_all.items() if "runbook_url: runbooks/" in text]
    assert "Runbook: https://wiki.example/counterfoil/" in texts_of_all["logfire/main.tf"]
    assert not [name for name in texts_of_all if name.startswith("prometheus/runbooks")]


def test_what_somebody_changed_is_kept(tmp_path: Path) -> None:
    rules = tmp_path / "counterfoil.rules.yml"
    rules.write_text("ours now\n")

    with pytest.raises(Refused, match=r"counterfoil\.rules\.yml would be overwritten; .* --force"):
        export(Kind.PROMETHEUS, tmp_path)

    assert texts(tmp_path) == {"counterfoil.rules.yml": "ours now\n"}
    export(Kind.PROMETHEUS, tmp_path, force=True)
    assert texts(tmp_path) == committed(Kind.PROMETHEUS)


def test_a_second_export_changes_nothing(tmp_path: Path) -> None:
    assert export(Kind.LOGFIRE, tmp_path) == export(Kind.LOGFIRE, tmp_path)


def command(*words: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command line, with another place to import from where one is given."""
    environment = {**os.environ, **({"PYTHONPATH": str(path)} if path else {})}
    return subprocess.run(
        [sys.executable, "-m", "counterfoil", "export", *words],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=path,
    )


def test_the_command_prints_what_it_wrote_and_says_what_is_wrong(tmp_path: Path) -> None:
    done = command("collector", str(tmp_path / "here"))
    assert done.returncode == 0, done.stderr
    assert set(map(Path, done.stdout.splitlines())) == {tmp_path / "here" / name for name in committed(Kind.COLLECTOR)}

    (tmp_path / "file").touch()
    done = command("collector", str(tmp_path / "file" / "below"))
    assert done.returncode == 2
    assert "name a folder that you may write to" in done.stderr

    done = command("datadog", str(tmp_path))
    assert done.returncode == 2
    assert "grafana" in done.stderr


@pytest.mark.real
def test_the_wheel_has_them_too(tmp_path: Path) -> None:
    """The wheel is built and unpacked; the environment's own packages serve as its dependencies."""
    uv = Path(sys.executable).with_name("uv")
    subprocess.run([uv, "build", "--wheel", "--quiet", "--out-dir", tmp_path, ROOT], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    subprocess.run([uv, "pip", "install", "--quiet", "--no-deps", "--target", tmp_path / "lib", wheel], check=True)

    for kind in Kind:
        done = command(kind, str(tmp_path / kind), path=tmp_path / "lib")

        assert done.returncode == 0, done.stderr
        assert texts(tmp_path / kind) == committed(kind)
