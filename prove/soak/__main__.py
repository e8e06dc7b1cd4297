"""Use a process long and hard: `python -m prove.soak [STORM …] [--minutes 30]`. Exit codes: 0 unharmed; 1 harmed.

Each storm has a process of its own and an equal part of the time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from prove.soak.storms import STORMS, Harmed


def main(names: list[str], minutes: float) -> int:
    seconds = 60 * minutes / len(names)
    harmed = [name for name in names if not _goes_through(name, seconds)]
    print(f"{len(names) - len(harmed)} of {len(names)} went well" + (f"; not {', '.join(harmed)}" if harmed else ""))
    return 1 if harmed else 0


def _goes_through(name: str, seconds: float) -> bool:
    command = [sys.executable, "-m", "prove.soak", "--only", name, str(seconds)]
    return subprocess.run(command, check=False).returncode == 0


def alone(name: str, seconds: float) -> int:
    """One storm in this process."""
    try:
        figures = STORMS[name](seconds)
    except Harmed as harm:
        print(f"{name}: HARMED, {harm}", flush=True)
        return 1
    print(f"{name}: " + ", ".join(f"{value:,.0f} {what}" for what, value in figures.items()), flush=True)
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--only"]:
        raise SystemExit(alone(sys.argv[2], float(sys.argv[3])))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="STORM", help=", ".join(STORMS))
    parser.add_argument("--minutes", type=float, default=30.0, help="for all of them together")
    asked = parser.parse_args()
    if unknown := sorted(set(asked.names) - set(STORMS)):
        parser.error(f"no storm is called {', '.join(unknown)}; choose from {', '.join(STORMS)}")
    raise SystemExit(main(asked.names or list(STORMS), asked.minutes))
