"""Logfire's queries over what the demo's agent, provider and judge really exported."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from counterfoil.verdicts import PAGES
from dashboards.src.logfire import operations, overview
from dashboards.src.logfire.alerts import ALERTS
from dashboards.src.logfire.perses import Panel
from tests.dashboards.logfire_sql import Logfire

PANELS = [*overview.PANELS, *operations.PANELS]
NOTHING_IN_THE_DEMO = {"Twins": "no two of its operations are alike"}


@dataclass(frozen=True)
class Exported:
    """The demo's export in Logfire's tables, and the verdicts that it printed."""

    logfire: Logfire
    verdicts: dict[str, str]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    file = tmp_path_factory.mktemp("demo") / "demo.jsonl"
    words = [sys.executable, "-m", "counterfoil", "demo", "--json", "--out", file]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    return Exported(Logfire(file.read_text(encoding="utf-8").splitlines()), _verdicts(printed))


def _verdicts(printed: dict[str, Any]) -> dict[str, str]:
    return {row["operation_id"]: row["verdict"] for row in printed["stories"]}


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.key)
def test_a_panel_shows_the_demo(panel: Panel, demo: Exported) -> None:
    answer = demo.logfire.ask(panel.query)

    assert tuple(answer.schema().names) == panel.columns
    assert bool(answer.to_pylist()) is (panel.key not in NOTHING_IN_THE_DEMO)


def test_the_panels_count_what_the_demo_printed(demo: Exported) -> None:
    (severe,) = (alert for alert in ALERTS if alert.name == "severe-verdict")
    (open_now,) = (panel for panel in overview.PANELS if panel.key == "Open")
    wanted = {operation for operation, verdict in demo.verdicts.items() if verdict in PAGES}

    assert wanted
    # What was severe for a while and then revised was told as well.
    assert {row["operation"] for row in demo.logfire.ask(severe.query).to_pylist()} >= wanted
    assert demo.logfire.ask(open_now.query).to_pylist() == [{"open_incidents": len(wanted)}]
