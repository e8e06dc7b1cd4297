"""What a process is started with: its variables, the packages that it finds, and its folders of packages."""

from __future__ import annotations

import os
import re
import site
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

from counterfoil.config import Config
from counterfoil.errors import ConfigError

PTH = "counterfoil.pth"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """``packages`` are the names of the installed distributions, normalised. ``read`` are the folders whose ``.pth``
    files an interpreter reads at its start."""

    environ: Mapping[str, str]
    packages: frozenset[str]
    read: tuple[Path, ...]
    config: Config
    problems: tuple[ConfigError, ...] = ()

    def variable(self, name: str) -> str:
        """Its value without space around it; empty where it is not set."""
        return self.environ.get(name, "").strip()

    def words(self, name: str) -> list[str]:
        """The words of a variable that holds several, with commas between them."""
        return [word.strip() for word in self.variable(name).split(",") if word.strip()]

    def has(self, *packages: str) -> bool:
        return self.packages.issuperset(packages)

    @property
    def has_pth(self) -> bool:
        return any((folder / PTH).is_file() for folder in self.read)


def here(environ: Mapping[str, str] | None = None) -> Surroundings:
    """The surroundings of this process."""
    environ = os.environ if environ is None else environ
    config, problems = Config.load(environ)
    found = (each.metadata["Name"] for each in distributions())
    names = frozenset(re.sub(r"[-_.]+", "-", name).lower() for name in found if name)
    folders = [*site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]
    return Surroundings(environ, names, tuple(map(Path, folders)), config, problems)
