"""Try the wheel where users have it: on the oldest and on the newest Python and dependencies that it works with.

`python -m tools.versions` builds the wheel once, installs it into an environment of its own for each of the two, and
runs the tests there that need nothing beside it, the demo, and the self-check of message histories; it makes sure that
what is imported is the wheel and not the source tree. It also holds `uv.lock` to what `pyproject.toml` asks for, writes
what the wheel depends on as a CycloneDX document, and asks whether a known vulnerability is among that. What can't be
had here, an interpreter, the package index or the database of vulnerabilities, is left out, and said. Exit codes: 0 all
held; 1 not.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
UV = str(Path(sys.executable).with_name("uv"))
PYTHONS = ("3.14", "3.13", "3.12", "3.11")
"""What the wheel says it works with, the newest first."""

TESTS = ("tests/cases", "tests/stories")
UNREACHED = ("dns error", "error sending request", "timed out", "connection refused", "failed to fetch")
SBOM = "build/counterfoil.cdx.json"


@dataclass(frozen=True)
class Where:
    """An environment: which Python, and which releases of the dependencies."""

    name: str
    python: str
    resolution: str


def main() -> int:
    here = [python for version in PYTHONS if (python := found(version)) is not None]
    newest, oldest = here[0], here[-1]
    if newest == oldest:
        print("left out: a second Python; there is one interpreter on this machine that the wheel works with")
    with tempfile.TemporaryDirectory() as folder:
        wheel = built(Path(folder))
        well = [
            tried(Where("oldest", oldest, "lowest-direct"), wheel, Path(folder)),
            tried(Where("newest", newest, "highest"), wheel, Path(folder)),
        ]
    listed()
    well += [is_locked(), not vulnerable()]
    return 0 if all(well) else 1


def built(folder: Path) -> Path:
    """The wheel, as it would be published."""
    subprocess.run([UV, "build", "-q", "--wheel", "--out-dir", str(folder), str(ROOT)], check=True)
    return next(folder.glob("*.whl"))


def tried(where: Where, wheel: Path, folder: Path) -> bool:
    """Whether everything holds there."""
    home = folder / where.name
    subprocess.run([UV, "venv", "-q", "--python", where.python, str(home)], check=True)
    python = str(home / "bin" / "python")
    wanted = (f"{wheel}[demo,pydantic-ai]", "pytest>=8.3", "hypothesis>=6.120", "pyyaml>=6.0")
    install = [UV, "pip", "install", "-q", "--python", python, "--resolution", where.resolution, *wanted]
    installed = subprocess.run(install, capture_output=True, text=True, check=False)
    if installed.returncode != 0 and unreached(installed.stderr):
        print(f"left out: {where.name} dependencies; the package index could not be reached")
        return True
    if installed.returncode != 0:
        print(f"{where.name}: could not be installed\n{installed.stderr[-3_000:]}")
        return False
    steps = {
        "import": [python, "-c", f"import counterfoil; assert {str(home)!r} in counterfoil.__file__, counterfoil"],
        "tests": [python, "-m", "pytest", *TESTS],
        "demo": [python, "-m", "counterfoil", "demo"],
        "history --self-check": [python, "-m", "counterfoil", "history", "--self-check"],
    }
    failed = [name for name, command in steps.items() if not _runs(command, folder if name == "demo" else ROOT)]
    released = ("counterfoil", "opentelemetry-sdk", "pydantic-ai-slim", "pydantic-ai-harness")
    frozen = subprocess.run([UV, "pip", "freeze", "-q", "--python", python], capture_output=True, text=True, check=True)
    versions = [line for line in frozen.stdout.splitlines() if line.partition("==")[0] in released]
    version = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"{where.name}: {version}, {', '.join(versions)}: {f'FAILED {failed}' if failed else 'all held'}", flush=True)
    return not failed


def is_locked() -> bool:
    """Whether the lock is what the project asks for."""
    done = subprocess.run([UV, "lock", "--check"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0 and unreached(done.stderr):
        print("left out: the lock; the package index could not be reached")
        return True
    print("uv.lock is what pyproject.toml asks for" if done.returncode == 0 else done.stderr[-3_000:])
    return done.returncode == 0


def unreached(said: str) -> bool:
    """Whether it failed for want of a network."""
    return any(word in said.lower() for word in UNREACHED)


def listed() -> None:
    """Write what the wheel and its extras depend on, as a CycloneDX document."""
    target = ROOT / SBOM
    target.parent.mkdir(exist_ok=True)
    chosen = ("--frozen", "--all-extras", "--no-dev", "--format", "cyclonedx1.5", "-o", str(target))
    subprocess.run([UV, "export", "-q", *chosen], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    print(f"dependencies: {SBOM}")


def vulnerable() -> bool:
    """Whether a known vulnerability is among the locked dependencies of the wheel and its extras."""
    command = [UV, "audit", "--frozen", "--no-dev"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0 and unreached(done.stderr):
        print("left out: known vulnerabilities; their database could not be reached")
        return False
    print("no known vulnerabilities" if done.returncode == 0 else done.stdout[-3_000:] + done.stderr[-3_000:])
    return done.returncode != 0


def found(python: str) -> str | None:
    """An interpreter of this version on the path, or where pyenv keeps them; None where there is none."""
    on_path = subprocess.run(
        [UV, "python", "find", "--no-python-downloads", python], capture_output=True, text=True, check=False
    )
    if on_path.returncode == 0:
        return on_path.stdout.strip()
    kept = sorted((Path.home() / ".pyenv" / "versions").glob(f"{python}.*/bin/python"))
    return str(kept[-1]) if kept else None


def _runs(command: list[str], folder: Path) -> bool:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(done.stdout[-3_000:], done.stderr[-3_000:], file=sys.stderr)
    return done.returncode == 0


if __name__ == "__main__":
    raise SystemExit(main())
