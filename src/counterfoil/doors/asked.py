"""What this process was asked for, and the one line that says that it was not done."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

ENABLED = "COUNTERFOIL_ENABLED"
YES = ("true", "1", "yes", "on")

_options: dict[str, str] = {}


def wanted(environ: Mapping[str, str]) -> bool:
    """The switch is on for ``true`` (the only word that OpenTelemetry knows), and for 1, yes and on."""
    return environ.get(ENABLED, "").strip().lower() in YES


def settings() -> dict[str, str]:
    """The environment, and above it what a configuration file of OpenTelemetry said of us."""
    return {**os.environ, **_options}


def set_options(options: Mapping[str, str]) -> None:
    """Settings that stand above the environment's, by the same names."""
    _options.update(options)


def has_options() -> bool:
    return bool(_options)


def tell(trouble: Exception) -> None:
    """Once, in one line, without the trouble's own text, which could hold anything."""
    if not getattr(tell, "told", False):
        tell.told = True  # type: ignore[attr-defined]
        kind = type(trouble).__name__
        print(f"counterfoil: not attached ({kind}); run `counterfoil doctor`, or unset {ENABLED}", file=sys.stderr)
