"""One receiver for all shapes of a worker; each application has a path of its own there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.sink import Sink, sink
from tests.shapes.application import Application
from tests.shapes.received import Received


@pytest.fixture(scope="session")
def receiver() -> Iterator[Sink]:
    with sink() as running:
        yield running


@pytest.fixture
def application(receiver: Sink, tmp_path: Path, request: pytest.FixtureRequest) -> Application:
    name = re.sub(r"\W+", "-", request.node.name).strip("-")
    return Application(Received(receiver, f"/{name}"), tmp_path)
