"""Programs that not every machine has. A test that needs one says what it left out, or fails where it must not be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tools.observe import golang
from tools.observe.build import built

REQUIRE = "TESTS_REQUIRE"
"""Products, separated by commas, whose absence is a failure; CI names all that it has built."""


def require(product: str) -> dict[str, Path]:
    """The programs of a product that `python -m tools.observe.build` has built. Tests never build: it takes minutes."""
    programs = built(product)
    if programs is not None:
        return programs
    why = f"{product} is not built; `python -m tools.observe.build {product}` builds it"
    try:
        golang.find()
    except golang.NoToolchain as missing:
        why = str(missing)
    if product in os.environ.get(REQUIRE, "").split(","):
        pytest.fail(f"{REQUIRE} names {product}, but {why}", pytrace=False)
    pytest.skip(f"left out: {why}")
