"""All benches, one after the other: `python -m bench`, or `python -m bench audit processor` for some of them.

`--write FILE` puts what they print into a page, as it was printed, with charts; `--ratios FILE` keeps the ratios in it,
which `make bench-compare` compares with.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from bench.charts import drawn
from bench.page import placed
from bench.ratios import ratios
from bench.running import command, printed

BENCHES = {
    "start_up": "What the `.pth` line adds to the start of an interpreter",
    "processor": "What watching adds to a span, beside the batch processor's own cost",
    "sampling": "What it costs to see every span where 1 % of traces are kept",
    "core": "What folding, judging, telling and keeping an operation cost by themselves",
    "throughput": "What one process bears, and what it keeps in memory",
    "capability": "What the capability adds to a tool call",
    "history": "What an audit of a message list costs",
    "ledger": "What a ledger costs, beside its database given the same facts",
    "judge": "What a judge bears that facts are sent to, killed in the middle",
    "audit": "What an audit of files costs",
    "others": "How an audit grows, beside DuckDB and jq on the same file",
    "alert": "How long it takes from a second effect to the person who is paged",
}


def main(asked: list[str], page: Path | None, kept: Path | None) -> int:
    found: dict[str, float] = {}
    for name in asked or BENCHES:
        print(f"\n== {name}", flush=True)
        text = printed(name)
        print(text, flush=True)
        found |= ratios(name, text) if kept is not None else {}
        if page is not None:
            called = " ".join(("python", *command(name)))
            chart = drawn(name, text, page.parent)
            section = f"## {BENCHES[name]}\n\n`{called}`\n\n{chart}```text\n{text.strip()}\n```\n"
            page.write_text(placed(page.read_text(encoding="utf-8"), {name: section}, BENCHES), encoding="utf-8")
    if kept is not None:
        before = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() and asked else {}
        kept.write_text(json.dumps(before | found, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("asked", nargs="*", metavar="BENCH", help=", ".join(BENCHES))
    parser.add_argument("--write", type=Path, metavar="FILE")
    parser.add_argument("--ratios", type=Path, metavar="FILE")
    words = parser.parse_args()
    if unknown := sorted(set(words.asked) - set(BENCHES)):
        parser.error(f"no bench is called {', '.join(unknown)}; choose from {', '.join(BENCHES)}")
    if words.write is not None and not words.write.exists():
        parser.error(f"{words.write} does not exist; begin it with the marks of bench/page.py")
    raise SystemExit(main(words.asked, words.write, words.ratios))
