"""Keeps binaries that were built from source: each recipe once, in a folder outside the checkout.

A folder appears by one rename after everything in it was built, so what is there is whole, also when a build was
killed or two processes wanted the same one. Builds wait for each other, whatever they build: one of them already takes
every core. Nothing is ever deleted but the remains of builds that did not finish.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


def root() -> Path:
    """`$XDG_CACHE_HOME/counterfoil/bin`, by default below `~/.cache`."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "counterfoil" / "bin"


def key(name: str, version: str, recipe: str) -> str:
    """Names one build: another version, recipe, system or processor is another folder."""
    digest = hashlib.sha256("\0".join((recipe, platform.system(), platform.machine())).encode()).hexdigest()
    return f"{name}-{version}-{digest[:12]}"


def lookup(entry: str, programs: tuple[str, ...]) -> dict[str, Path] | None:
    """The programs of a finished build by name, or None when there is none. Never builds."""
    found = {program: root() / entry / program for program in programs}
    return found if all(path.is_file() for path in found.values()) else None


def obtain(entry: str, programs: tuple[str, ...], build: Callable[[Path], None]) -> dict[str, Path]:
    """Return the programs of `entry`; when they aren't there, let `build` put them into an empty folder first.

    Raises whatever `build` raises and leaves nothing behind then.
    """
    if (found := lookup(entry, programs)) is not None:
        return found
    with _one_build_at_a_time():
        if (found := lookup(entry, programs)) is not None:
            return found
        for remains in root().glob(".building-*"):
            shutil.rmtree(remains, ignore_errors=True)
        workshop = Path(tempfile.mkdtemp(prefix=".building-", dir=root()))
        try:
            build(workshop)
            missing = [program for program in programs if not (workshop / program).is_file()]
            if missing:
                raise RuntimeError(f"the build of {entry} ended without {', '.join(missing)}")
            workshop.chmod(0o755)
            workshop.rename(root() / entry)
        finally:
            shutil.rmtree(workshop, ignore_errors=True)
    return {program: root() / entry / program for program in programs}


@contextmanager
def _one_build_at_a_time() -> Iterator[None]:
    """Hold the lock of the whole cache. The kernel releases it when its holder dies."""
    root().mkdir(parents=True, exist_ok=True)
    with (root() / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
