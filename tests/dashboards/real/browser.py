"""The bundled page and a browser to draw it in, or what was left out without them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.real.programs import REQUIRE
from tools.chromium import NoBrowser, find
from tools.panels.build import built


def page() -> Path:
    """The folder of the bundled page; skips the test, or fails it where CI has built all, without page or browser."""
    try:
        find()
    except NoBrowser as missing:
        return _without(str(missing))
    folder = built()
    return folder or _without("the page is not built; `python -m tools.panels.build` builds it")


def _without(why: str) -> Path:
    if "panels" in os.environ.get(REQUIRE, "").split(","):
        pytest.fail(f"{REQUIRE} names panels, but {why}", pytrace=False)
    pytest.skip(f"left out: {why}")
