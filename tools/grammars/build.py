"""Installs the published grammars of TraceQL, LogQL and PromQL, once per version, and prints where they are.

    python -m tools.grammars.build

They are npm packages (Apache-2.0), pinned by `package-lock.json`. Exit code 3 where the machine has no Node.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from tools.missing import told
from tools.node import install
from tools.observe import cache

HERE = Path(__file__).parent
FILES = ("package.json", "package-lock.json", "check.mjs")
PROGRAM = "check.mjs"


def _entry() -> str:
    return cache.key("grammars", "1", "".join((HERE / name).read_text() for name in FILES))


def built() -> Path | None:
    """The checker that was installed earlier, or None. Never installs."""
    found = cache.lookup(_entry(), (PROGRAM,))
    return found[PROGRAM] if found else None


def obtain() -> Path:
    """The checker, installed now if it never was. Raises NoNode."""
    return cache.obtain(_entry(), (PROGRAM,), _install)[PROGRAM]


def _install(into: Path) -> None:
    for name in FILES:
        shutil.copy(HERE / name, into / name)
    install(into)


if __name__ == "__main__":
    sys.exit(told("grammars", obtain))
