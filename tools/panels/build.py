"""Installs Grafana's published components and bundles the page, once per version, and prints where it is.

    python -m tools.panels.build

They are npm packages pinned by `package-lock.json`, `@grafana/ui` and `@grafana/data` (Apache-2.0) among them. Nothing
of them is shipped. Needs Node, some 460 MB and two minutes. Exit code 3 where the machine has no Node.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

from tools.missing import told
from tools.node import find, install, run
from tools.observe import cache

HERE = Path(__file__).parent
PAGE = HERE / "page"
PROGRAMS = ("index.html", "main.css", "main.js")
INSTALLED = "node_modules/.package-lock.json"
"""npm writes it when everything is in its place."""
UNWANTED = re.compile(r"\bA?GPL", re.IGNORECASE)
"""Licences under which nothing is used here. LGPL isn't matched, and not present either."""


def _modules_entry() -> str:
    return cache.key("panels-modules", "1", (HERE / "package-lock.json").read_text(encoding="utf-8"))


def _entry() -> str:
    sources = [HERE / "package-lock.json", HERE / "bundle.mjs", *sorted(PAGE.iterdir())]
    return cache.key("panels", "1", "".join(path.read_text(encoding="utf-8") for path in sources))


def built() -> Path | None:
    """The folder of the bundled page, or None. Never builds."""
    found = cache.lookup(_entry(), PROGRAMS)
    return found["index.html"].parent if found else None


def obtain() -> Path:
    """The folder of the bundled page, built now if it never was. Raises NoNode."""
    installed = cache.obtain(_modules_entry(), (INSTALLED,), _install)[INSTALLED].parent
    return cache.obtain(_entry(), PROGRAMS, lambda into: _bundle(into, installed))["index.html"].parent


def unwanted(lock: Path) -> list[str]:
    """Packages of a lock file under a licence that is not used here."""
    packages = json.loads(lock.read_text(encoding="utf-8"))["packages"]
    return [name for name, package in packages.items() if UNWANTED.search(str(package.get("license", "")))]


def _install(into: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, into / name)
    if refused := unwanted(into / "package-lock.json"):
        raise RuntimeError(f"under a licence that is not used here: {', '.join(refused)}")
    install(into)


def _bundle(into: Path, modules: Path) -> None:
    workshop = into / "workshop"
    shutil.copytree(PAGE, workshop / "page")
    shutil.copy(HERE / "bundle.mjs", workshop)
    (workshop / "node_modules").symlink_to(modules)
    run([find(), "bundle.mjs", str(into)], workshop)
    shutil.copy(PAGE / "index.html", into / "index.html")
    shutil.rmtree(workshop)


if __name__ == "__main__":
    sys.exit(told("panels", obtain))
