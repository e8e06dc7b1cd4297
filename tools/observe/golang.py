"""The Go toolchain, as far as the builds need it: found, run politely, and silent about what it can't do."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tools.missing import Missing

PARALLEL_COMPILERS = 2
"""How many packages one build compiles at once; more starves whatever else the machine does."""


class NoToolchain(Missing):
    """There is no `go` on this machine, so nothing can be built here."""

    def __init__(self) -> None:
        super().__init__("no Go toolchain: there is no `go` on PATH; install Go 1.26 or newer, see https://go.dev/dl")


def find() -> str:
    """The `go` command. Raises NoToolchain where there is none."""
    go = shutil.which("go")
    if go is None:
        raise NoToolchain
    return go


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The caller's environment with static linking and a bound on parallel compilers; `extra` wins.

    Workspaces are off: a released module may carry a `go.work` that names folders which its release leaves out.
    """
    flags = f"{os.environ.get('GOFLAGS', '')} -p={PARALLEL_COMPILERS}".strip()
    return {**os.environ, "CGO_ENABLED": "0", "GOWORK": "off", "GOFLAGS": flags, **(extra or {})}


def run(command: Sequence[str | Path], *, cwd: Path | None = None, extra: Mapping[str, str] | None = None) -> str:
    """Run a command of a build at low priority and return its output. Raises with all it wrote when it fails."""
    nice = ["nice", "-n", "10"] if shutil.which("nice") else []
    words = [*nice, *map(str, command)]
    done = subprocess.run(words, cwd=cwd, env=environment(extra), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)} failed with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def download(module: str, version: str) -> Path:
    """The zip of a module's source in Go's own module cache, checked against Go's checksum database."""
    answer = run([find(), "mod", "download", "-json", f"{module}@{version}"])
    return Path(json.loads(answer)["Zip"])
