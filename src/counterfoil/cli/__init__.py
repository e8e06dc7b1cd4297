"""The command `counterfoil`. Each of its commands is a module of its own, loaded when it is asked for."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command that the process was started with, and end the process with its exit code."""
    if sys.argv[1:] == ["--version"]:  # asked by scripts, often: answered before anything is loaded
        from counterfoil.cli.version import version_line

        print(version_line())
        return
    from counterfoil.cli.frame import app

    app(prog_name="counterfoil")
