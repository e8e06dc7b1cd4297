"""Takes pictures of the committed dashboards over a day of trouble.

    python -m tools.panels.shoot FOLDER

writes one PNG for each dashboard. Builds what it needs (`tools.panels.build`, and Prometheus by `tools.observe.build`),
but for Chromium (`apt-get install chromium`).
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from tools.chromium import headless
from tools.observe import servers
from tools.observe.build import obtain as obtain_program
from tools.panels import build
from tools.panels.history import STEP_S, blocks
from tools.panels.page_server import serve

PROJECT = Path(__file__).resolve().parents[2]
BOARDS = sorted((PROJECT / "dashboards" / "grafana").glob("*.json"))
WIDTH = 1600
CELL, HEAD = 38, 60
VIRTUAL_MS = 30_000
"""How far Chromium lets the page's clock run ahead; it waits for requests that are under way."""

Fates = dict[str, dict[str, str]]


def shoot(page: Path, dashboard: Path, prometheus: str, end: int, picture: Path, *, hours: int = 24) -> Fates:
    """Draw one dashboard over the hours before `end`, write the picture, and return what became of each panel."""
    panels = json.loads(dashboard.read_text(encoding="utf-8"))["panels"]
    height = HEAD + CELL * max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in panels)
    with serve(page, dashboard, prometheus) as served, tempfile.TemporaryDirectory() as profile:
        asked = (f"--virtual-time-budget={VIRTUAL_MS}", f"--screenshot={picture.resolve()}")
        done = headless(f"{served.address}/?to={end}&hours={hours}", profile, WIDTH, height, *asked)
        if done.returncode != 0 or not served.reported.is_set():
            raise RuntimeError(f"{dashboard.name} was not drawn to its end:\n{done.stderr}")
    return served.fates


def main(arguments: list[str]) -> int:
    """Take all pictures."""
    if len(arguments) != 1:
        print("usage: python -m tools.panels.shoot FOLDER", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    page, programs = build.obtain(), obtain_program("prometheus")
    end = int(time.time()) // STEP_S * STEP_S
    with tempfile.TemporaryDirectory() as scratch:
        blocks(programs["promtool"], Path(scratch) / "prometheus-data", end)
        with servers.prometheus(Path(scratch)) as prometheus:
            for board in BOARDS:
                picture = folder / f"{board.stem}.png"
                shoot(page, board, prometheus.url("http"), end, picture)
                print(picture)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
