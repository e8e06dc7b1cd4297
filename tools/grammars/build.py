"""Installs the published grammars of TraceQL, LogQL and PromQL, once per version, and prints where they are.

    python -m tools.grammars.build

They are npm packages (Apache-2.0), pinned by `package-lock.json`. Exit code 3 where the machine has no Node.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tools.observe import cache

HERE = Path(__file__).parent
FILES = ("package.json", "package-lock.json", "check.mjs")
PROGRAM = "check.mjs"
NO_NODE = 3


class NoNode(RuntimeError):
    """There is no Node on this machine, so the grammars can't run."""

    def __init__(self) -> None:
        super().__init__("no Node: there is no `node` and `npm` on PATH; install Node 20 or newer")


def _entry() -> str:
    return cache.key("grammars", "1", "".join((HERE / name).read_text() for name in FILES))


def built() -> Path | None:
    """The checker that was installed earlier, or None. Never installs."""
    found = cache.lookup(_entry(), (PROGRAM,))
    return found[PROGRAM] if found else None


def obtain() -> Path:
    """The checker, installed now if it never was. Raises NoNode."""
    return cache.obtain(_entry(), (PROGRAM,), _install)[PROGRAM]


def find() -> str:
    """The `node` command. Raises NoNode where it or npm is missing."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        raise NoNode
    return node


def _install(into: Path) -> None:
    find()
    for name in FILES:
        shutil.copy(HERE / name, into / name)
    done = subprocess.run(["npm", "ci", "--ignore-scripts"], cwd=into, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"npm ci failed with {done.returncode}:\n{done.stdout}{done.stderr}")


def main() -> int:
    """Install, and say where."""
    try:
        print(obtain())
    except NoNode as missing:
        print(f"left out: grammars: {missing}", file=sys.stderr)
        return NO_NODE
    return 0


if __name__ == "__main__":
    sys.exit(main())
