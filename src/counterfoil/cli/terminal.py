"""What is written for people, on a terminal or elsewhere: names in it come from strangers."""

from __future__ import annotations

import io
import sys

from rich.console import Console

WIDE = 4_096
"""The width where nobody watches: a row is a line, so that other programs can look for it."""


def terminal() -> Console:
    """Standard output. Colour only on a terminal."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    return Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=WIDE)


def printable(text: str) -> str:
    """What can't be seen, and what could move the cursor or turn the writing around, becomes a replacement mark."""
    return text if text.isprintable() else "".join(mark if mark.isprintable() else "\ufffd" for mark in text)
