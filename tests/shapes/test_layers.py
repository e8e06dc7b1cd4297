"""The package as it is installed: as a wheel, and as a layer of packages whose `.pth` files nobody reads."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.shapes.application import BIN, Application
from tests.shapes.told import assert_told

ROOT = Path(__file__).parents[2]
DETECTORS = {"OTEL_EXPERIMENTAL_RESOURCE_DETECTORS": "otel,counterfoil"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([BIN / "hatchling", "build", "-t", "wheel", "-d", folder], cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


@pytest.fixture
def bare(application: Application, tmp_path: Path) -> Application:
    """The same, in an environment that has everything but us: other folders' `.pth` files are not read from there."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    packages = next((tmp_path / "venv").glob("lib/python*/site-packages"))
    installed = Path(pytest.__file__).parents[1]
    (packages / "others.pth").write_text(f"{installed}\n")
    return replace(application, interpreter=tmp_path / "venv" / "bin" / "python")


def install(wheel: Path, *where: str) -> None:
    subprocess.run(
        [BIN / "uv", "pip", "install", "--offline", "--no-deps", *where, wheel], check=True, capture_output=True
    )


def test_without_us_the_environment_is_bare(bare: Application) -> None:
    bare.run("python", "by_hand.py")
    assert len(bare.received.operations()) == 1
    assert bare.received.spans("counterfoil") == []


def test_a_wheel(bare: Application, wheel: Path) -> None:
    install(wheel, "--python", str(bare.interpreter))
    bare.run("python", "by_hand.py")
    assert_told(bare.received, 1)


def test_a_layer_with_a_resource_detector(bare: Application, wheel: Path, tmp_path: Path) -> None:
    """`pip install --target` and PYTHONPATH, as in a Lambda layer or an operator's injection."""
    install(wheel, "--target", str(tmp_path / "layer"))
    bare.run("python", "by_hand.py", PYTHONPATH=str(tmp_path / "layer"), **DETECTORS)
    assert_told(bare.received, 1)


def test_a_layer_under_opentelemetry_instrument(bare: Application, wheel: Path, tmp_path: Path) -> None:
    """Two doors, neither of them the `.pth` file."""
    install(wheel, "--target", str(tmp_path / "layer"))
    auto = str(Path(pytest.__file__).parents[1] / "opentelemetry" / "instrumentation" / "auto_instrumentation")
    bare.run("python", "plain.py", PYTHONPATH=f"{auto}:{tmp_path / 'layer'}", **DETECTORS)
    assert_told(bare.received, 1)


def test_installed_twice_and_entered_by_every_door(application: Application, wheel: Path, tmp_path: Path) -> None:
    """Once in site-packages with its `.pth` file, once more as a layer: still one processor for the pipeline."""
    install(wheel, "--target", str(tmp_path / "layer"))
    application.run("opentelemetry-instrument", "python", "plain.py", PYTHONPATH=str(tmp_path / "layer"), **DETECTORS)
    assert_told(application.received, 1)
