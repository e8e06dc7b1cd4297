"""Builds the programs that the observability tests run, once per version, and prints where they are.

    python -m tools.observe.build                        # all of them
    python -m tools.observe.build collector prometheus   # some of them

One line per program: its name, a tab, its path. Exit code 3 and one line on standard error when the machine has no Go.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tools.collector import build as collector
from tools.missing import told
from tools.observe import cache
from tools.observe.modules import ALERTMANAGER, PROMETHEUS, Program


@dataclass(frozen=True, slots=True)
class Product:
    """One thing that can be asked for by name."""

    entry: str
    """Its folder in the cache."""
    programs: tuple[str, ...]
    build: Callable[[Path], None]


def _of_module(name: str, program: Program) -> Product:
    return Product(cache.key(name, program.release, program.recipe()), program.commands, program.build)


PRODUCTS: dict[str, Product] = {
    "collector": Product(
        cache.key("collector", collector.version(), collector.recipe()), (collector.PROGRAM,), collector.build
    ),
    "prometheus": _of_module("prometheus", PROMETHEUS),
    "alertmanager": _of_module("alertmanager", ALERTMANAGER),
}


def built(product: str) -> dict[str, Path] | None:
    """The programs of a product that was built earlier, or None. Never builds."""
    return cache.lookup(PRODUCTS[product].entry, PRODUCTS[product].programs)


def obtain(product: str) -> dict[str, Path]:
    """The programs of a product, built now if they never were. Raises golang.NoToolchain without Go."""
    wanted = PRODUCTS[product]
    return cache.obtain(wanted.entry, wanted.programs, wanted.build)


def main(arguments: Sequence[str]) -> int:
    """Build what is named, or everything."""
    unknown = [name for name in arguments if name not in PRODUCTS]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; choose from: {', '.join(PRODUCTS)}", file=sys.stderr)
        return 2
    for name in arguments or PRODUCTS:
        if code := told(name, partial(_lines, name)):
            return code
    return 0


def _lines(product: str) -> str:
    return "\n".join(f"{program}\t{path}" for program, path in obtain(product).items())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
