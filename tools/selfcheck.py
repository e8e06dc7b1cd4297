"""Does the audit of histories hold on the oldest and on the newest Pydantic AI that we say we work with?

`python -m tools.selfcheck` builds the wheel, makes an environment for each of the two requirements (the floor in
pyproject.toml, pinned, and whatever the index serves above it) and runs the wheel's `counterfoil history --self-check`
there. The harness is left out: each of its releases pins one release of Pydantic AI, and the audit doesn't need it.
Exit codes: 0 it holds on both, or the index can't be reached, which is said; 1 something has changed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from tools.versions import ROOT, UNREACHED, UV

PACKAGE = "pydantic-ai-slim"
LEFT_OUT = "left out: the self-check of histories; the package index could not be reached"


class Unreached(Exception):
    """The index isn't there."""


def main() -> int:
    floor = floor_of(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8")))
    wanted = {"oldest": f"{PACKAGE}=={floor}.*", "newest": f"{PACKAGE}>={floor}"}
    try:
        with tempfile.TemporaryDirectory() as folder:
            _run(UV, "build", "-q", "--wheel", "--out-dir", folder, str(ROOT))
            wheel = next(Path(folder).glob("*.whl"))
            found = {name: checked(name, requirement, wheel, Path(folder)) for name, requirement in wanted.items()}
    except Unreached:
        print(LEFT_OUT)
        return 0
    versions = {version for version, _ in found.values()}
    if len(versions) == 1:
        print(f"oldest and newest are one release today: {versions.pop()}")
    return 0 if all(holds for _, holds in found.values()) else 1


def floor_of(project: dict[str, object]) -> str:
    """The oldest release that the extra asks for, as 2.62."""
    wanted = project["project"]["optional-dependencies"]["pydantic-ai"]  # type: ignore[index]
    return next(found[1] for line in wanted if (found := re.fullmatch(rf"{PACKAGE}>=([0-9.]+)", line)))


def checked(name: str, requirement: str, wheel: Path, folder: Path) -> tuple[str, bool]:
    """Which version that came to, and whether the self-check holds on it. Raises `Unreached`."""
    home = folder / name
    _run(UV, "venv", "-q", "--python", sys.executable, str(home))
    python = str(home / "bin" / "python")
    _run(UV, "pip", "install", "-q", "--python", python, str(wheel), requirement)
    check = [python, "-m", "counterfoil", "history", "--self-check"]
    done = subprocess.run(check, cwd=folder, capture_output=True, text=True, check=False)
    said = done.stdout.strip() or done.stderr.strip()
    print(f"{name} ({requirement}): {said}", flush=True)
    version = re.match(r"Pydantic AI (\S+):", said)
    return version[1] if version else name, done.returncode == 0


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    if any(word in done.stderr.lower() for word in UNREACHED):
        raise Unreached
    raise SystemExit(f"{' '.join(command[1:3])}: {done.stderr.strip()}")


if __name__ == "__main__":
    raise SystemExit(main())
