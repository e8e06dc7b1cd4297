"""All generated files, and which files in the folders are generated."""

from __future__ import annotations

from pathlib import Path

from dashboards.src.grafana.files import files as grafana
from dashboards.src.logfire.files import files as logfire
from dashboards.src.prometheus.files import files as prometheus

ROOT = Path(__file__).resolve().parents[1]
"""The folder `dashboards`."""

BY_HAND = {".md", ".test.yml"}
"""Endings of files that people write: pages, and the stories about the rules."""


def files() -> dict[str, str]:
    """Text of every generated file by its path below `dashboards`."""
    kinds = {"grafana": grafana(), "prometheus": prometheus(), "logfire": logfire()}
    return {f"{kind}/{name}": text for kind, written in kinds.items() for name, text in written.items()}


def generated() -> set[str]:
    """Paths below `dashboards` of the files that ought to be generated."""
    found = (path for kind in ("grafana", "prometheus", "logfire") for path in (ROOT / kind).rglob("*"))
    return {
        path.relative_to(ROOT).as_posix()
        for path in found
        if path.is_file() and not any(path.name.endswith(ending) for ending in BY_HAND)
    }
