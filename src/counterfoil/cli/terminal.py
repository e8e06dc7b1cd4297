"""What is written for people, on a terminal or elsewhere: names in it come from strangers."""

from __future__ import annotations

import io
import sys

from rich.console import Console

from counterfoil.printable import printable

__all__ = ["printable", "terminal"]

WIDE = 4_096
"""The width where nobody watches: a row is a line, so that other programs can look for it."""


def terminal() -> Console:
    """Standard output. Colour only on a terminal."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    return Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=WIDE)
