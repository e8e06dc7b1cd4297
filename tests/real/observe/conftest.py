"""The real collector, Prometheus and Alertmanager, for tests that look at what arrives there.

`observability` says that the programs exist, or what was left out. `stack` is one running stack for all tests of a
session that only add data of their own; a test that needs rules or a webhook starts its own by
`tools.observe.stack.running(tmp_path, rules=..., webhook=...)` and asks for `observability`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.programs import require
from tools.observe.build import PRODUCTS
from tools.observe.stack import Stack, running


@pytest.fixture(scope="session")
def observability() -> dict[str, Path]:
    """Every program of the stack by its name: otelcol-counterfoil, prometheus, promtool, alertmanager, amtool."""
    return {name: path for product in PRODUCTS for name, path in require(product).items()}


@pytest.fixture(scope="session")
def stack(observability: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """One stack without rules for the whole session."""
    with running(tmp_path_factory.mktemp("stack")) as servers:
        yield servers
