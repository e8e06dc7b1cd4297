"""Node and npm, for what is written in JavaScript here or is published for it only."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tools.missing import Missing


class NoNode(Missing):
    """There is no Node on this machine."""

    def __init__(self) -> None:
        super().__init__("no Node: there is no `node` and `npm` on PATH; install Node 20 or newer")


def find() -> str:
    """The `node` command. Raises NoNode where it or npm is missing."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        raise NoNode
    return node


def install(into: Path) -> None:
    """Install what the lock file in a folder names, and run none of its scripts. Raises NoNode."""
    find()
    run(["npm", "ci", "--ignore-scripts"], into)


def run(words: Sequence[str], folder: Path) -> None:
    """Run a command in a folder. Raises RuntimeError with all that it printed where it fails."""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)} failed with {done.returncode}:\n{done.stdout}{done.stderr}")
