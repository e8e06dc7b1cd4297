"""What this machine lacks is said in one way, and with one exit code, by all that is made of things from elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable

LEFT_OUT = 3
"""The exit code where something is missing on this machine."""


class Missing(RuntimeError):
    """Something is not on this machine: what, and how it gets there."""


def told(name: str, made: Callable[[], object]) -> int:
    """Print what was made, where it is; or say on standard error what it was left out for. Returns the exit code."""
    try:
        print(made(), flush=True)
    except Missing as what:
        print(f"left out: {name}: {what}", file=sys.stderr)
        return LEFT_OUT
    return 0
