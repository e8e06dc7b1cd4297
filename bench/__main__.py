"""All benches, one after the other: `python -m bench`, or `python -m bench audit processor` for some of them.

`--write FILE` puts what they print into a page, as it was printed.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from pathlib import Path

BENCHES = {
    "start_up": "What the `.pth` line adds to the start of an interpreter",
    "processor": "What watching adds to a span, beside the batch processor's own cost",
    "sampling": "What it costs to see every span where 1 % of traces are kept",
    "throughput": "What one process bears, and what it keeps in memory",
    "capability": "What the capability adds to a tool call",
    "history": "What an audit of a message list costs",
    "ledger": "What a ledger costs, beside its database given the same facts",
    "audit": "What an audit of files costs, and how it grows",
}

HEAD = """# Performance

Every figure is printed by a bench (`make bench` runs all of them). Trust the ratios within one run, not the last digit:
{machine}. An aim that is printed is not always met.
"""


def main(asked: list[str], page: Path | None) -> int:
    parts = []
    for name in asked or BENCHES:
        print(f"\n== {name}", flush=True)
        done = subprocess.run(
            [sys.executable, "-m", f"bench.{name}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        print(done.stdout, flush=True)
        parts.append(f"## {BENCHES[name]}\n\n`python -m bench.{name}`\n\n```text\n{done.stdout.strip()}\n```\n")
    if page is not None:
        python = f"{platform.python_implementation()} {platform.python_version()}"
        where = f"{os.cpu_count()} CPUs ({platform.machine()}), {python}"
        load = f"{where}, shared with other work, load {os.getloadavg()[0]:.0f}"
        page.write_text(HEAD.format(machine=load) + "\n" + "\n".join(parts), encoding="utf-8")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("asked", nargs="*", metavar="BENCH", help=", ".join(BENCHES))
    parser.add_argument("--write", type=Path, metavar="FILE")
    words = parser.parse_args()
    if unknown := sorted(set(words.asked) - set(BENCHES)):
        parser.error(f"no bench is called {', '.join(unknown)}; choose from {', '.join(BENCHES)}")
    raise SystemExit(main(words.asked, words.write))
