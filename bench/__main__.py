"""All benches, one after the other: `python -m bench`, or `python -m bench audit processor` for some of them."""

from __future__ import annotations

import subprocess
import sys

BENCHES = ("start_up", "processor", "capability", "history", "ledger", "audit")


def main(asked: list[str]) -> int:
    unknown = sorted(set(asked) - set(BENCHES))
    if unknown:
        print(f"no bench is called {', '.join(unknown)}; choose from {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    for name in asked or BENCHES:
        print(f"\n== {name}", flush=True)
        subprocess.run([sys.executable, "-m", f"bench.{name}"], check=False)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
