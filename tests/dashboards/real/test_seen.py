"""The committed dashboards, drawn in a real browser: no panel errs, and none is empty where there is data."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.dashboards.expressions import BOARDS
from tests.dashboards.real.browser import page
from tests.dashboards.real.day import Day
from tests.real.programs import require
from tests.real.prometheus import query, until
from tools.observe.stack import running
from tools.panels.build import HERE, unwanted
from tools.panels.shoot import shoot

pytestmark = pytest.mark.real

PNG = b"\x89PNG\r\n\x1a\n"
NOT_IN_THE_DEMO = {
    "Facts dropped and operations forgotten": "nothing is lost in it",
    "Errors inside Counterfoil": "nothing goes wrong in it",
    "Ledger faults": "it keeps no ledger",
    "Histories audited before a replay": "it replays nothing",
    "Consultations of advisors": "nobody is asked for advice in it",
}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Day]:
    """The demo's metrics, through the collector into Prometheus."""
    page()
    for product in ("collector", "prometheus", "alertmanager"):
        require(product)
    folder = tmp_path_factory.mktemp("demo")
    with running(folder) as stack:
        environment = {
            **os.environ,
            "OTEL_EXPORTER_OTLP_ENDPOINT": stack.otlp,
            "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
            "OTEL_METRIC_EXPORT_INTERVAL": "1000",
        }
        words = [sys.executable, "-m", "counterfoil", "demo", "--out", folder / "demo.jsonl"]
        subprocess.run(words, check=True, capture_output=True, env=environment)
        address = stack.prometheus.url("http")
        until(lambda: query(address, "counterfoil_incidents_open > 0"), "an incident of the demo")
        yield Day(address, int(time.time()))


@pytest.mark.parametrize("board", BOARDS, ids=lambda path: path.stem)
def test_every_panel_is_drawn_after_a_day_of_trouble(board: Path, day: Day, tmp_path: Path) -> None:
    picture = tmp_path / "seen.png"

    fates = shoot(page(), board, day.address, day.end, picture)

    assert {title: fate for title, fate in fates.items() if fate["state"] not in ("drawn", "elsewhere")} == {}
    assert set(fates) == {panel["title"] for panel in json.loads(board.read_text())["panels"]}
    assert picture.read_bytes().startswith(PNG)


@pytest.mark.parametrize("board", BOARDS, ids=lambda path: path.stem)
def test_every_panel_is_drawn_after_the_demo(board: Path, demo: Day, tmp_path: Path) -> None:
    fates = shoot(page(), board, demo.address, demo.end, tmp_path / "seen.png", hours=1)

    wrong = {title: fate for title, fate in fates.items() if fate["state"] not in ("drawn", "elsewhere")}
    assert {title for title, fate in wrong.items() if fate["state"] == "error"} == set()
    assert set(wrong) <= set(NOT_IN_THE_DEMO)


def test_only_doubt_has_a_reason_on_metrics(demo: Day) -> None:
    """The rules leave out some reasons, which must never leave out a conviction."""
    with_reason = query(demo.address, 'counterfoil_verdicts_total{counterfoil_reason!=""}')

    assert {series["metric"]["counterfoil_verdict"] for series in with_reason} == {"indeterminate"}


def test_a_panel_that_errs_is_noticed(day: Day, tmp_path: Path) -> None:
    content = json.loads(BOARDS[0].read_text())
    for panel in content["panels"]:
        for target in panel["targets"]:
            target["expr"] = "sum(rate(nothing"
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps(content))

    fates = shoot(page(), broken, day.address, day.end, tmp_path / "seen.png")

    assert {fate["state"] for fate in fates.values()} == {"error"}


def test_nothing_under_the_agpl_draws_them() -> None:
    assert unwanted(HERE / "package-lock.json") == []
    assert unwanted(HERE.parent / "grammars" / "package-lock.json") == []
