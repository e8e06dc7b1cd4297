"""One Prometheus for all tests in here, which holds a day of trouble."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.dashboards.promtool import RULES
from tests.dashboards.real.day import Day
from tests.real.programs import require
from tools.observe import servers
from tools.panels.history import STEP_S, blocks


@pytest.fixture(scope="session")
def day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Day]:
    folder = tmp_path_factory.mktemp("day")
    programs = require("prometheus")
    end = int(time.time()) // STEP_S * STEP_S
    blocks(programs["promtool"], folder / "prometheus-data", end)
    with servers.prometheus(folder, rules=[RULES], evaluation_interval="5s") as prometheus:
        yield Day(prometheus.url("http"), end)
