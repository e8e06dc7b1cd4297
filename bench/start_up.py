"""What the `.pth` file costs at the start of an interpreter, shut and open: python -m bench.start_up

Three environments that differ in nothing but the file and the variable start in turn, so that whatever else the machine
does falls on all alike. The figures are CPU time of the child, medians of the pairs' differences and ratios.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import timeit
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
LINE = ROOT / "counterfoil.pth"
ROUNDS = 100


def start_up(rounds: int = ROUNDS) -> dict[str, float]:
    """Milliseconds of CPU time and ratios, by what they are of."""
    with tempfile.TemporaryDirectory() as folder:
        without, with_it = (_environment(Path(folder) / name) for name in ("without", "with"))
        (_packages(with_it) / LINE.name).write_text(LINE.read_text(encoding="utf-8"))
        shapes = {"none": (without, {}), "shut": (with_it, {}), "open": (with_it, {"COUNTERFOIL_ENABLED": "true"})}
        taken: dict[str, list[float]] = {name: [] for name in shapes}
        for _ in range(rounds + 1):
            for name, (environment, variables) in shapes.items():
                taken[name].append(_start(environment, variables))
    plain, shut, opened = (taken[name][1:] for name in ("none", "shut", "open"))  # the first round compiles
    return {
        "interpreter, ms": statistics.median(plain),
        "line when shut, ms": 1000 * min(timeit.repeat(lambda: exec(_CODE), number=100, repeat=20)) / 100,
        "start when shut, ratio": _ratio(shut, plain),
        "start when open, ratio": _ratio(opened, plain),
        "added when open, ms": statistics.median(one - other for one, other in zip(opened, plain, strict=True)),
    }


_CODE = compile(LINE.read_text(encoding="utf-8"), LINE.name, "exec")


def _ratio(one: list[float], other: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(one, other, strict=True))


def _environment(folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (_packages(folder) / "a_source.pth").write_text(f"{ROOT / 'src'}\n")
    return folder


def _packages(environment: Path) -> Path:
    return next(environment.glob("lib/python*/site-packages"))


def _start(environment: Path, variables: Mapping[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([environment / "bin" / "python", "-c", ""], env=dict(variables), check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


if __name__ == "__main__":
    for name, figure in start_up().items():
        print(f"{name:25} {figure:8.4f}")
