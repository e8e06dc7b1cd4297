"""`make bench-compare`: the ratios of a new run beside the committed ones. Exit code 1 if one is worse by over 25 %.

`python -m bench.compare [--with FILE] [BENCH …]` compares with another file, or runs only some benches. A bench whose
ratio seems worse is run once more, and the better of both counts: a busy machine may spoil one run.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from bench.ratios import PATTERNS, ratios
from bench.running import printed

COMMITTED = Path(__file__).with_name("ratios.json")
WORSE = 1.25
"""So many times the committed ratio is a regression."""

Ratios = Mapping[str, float]


def worse(committed: Ratios, new: Ratios) -> dict[str, float]:
    """By how much, where it is too much. A ratio of nothing can't be exceeded."""
    return {
        name: new[name] / was for name, was in committed.items() if name in new and was > 0 and new[name] / was > WORSE
    }


def measured(benches: Sequence[str], committed: Ratios, run: Callable[[str], str] = printed) -> dict[str, float]:
    """The ratios of a new run."""
    found: dict[str, float] = {}
    for bench in benches:
        new = ratios(bench, run(bench))
        if worse(committed, new):
            again = ratios(bench, run(bench))
            new = {name: min(ratio, again.get(name, ratio)) for name, ratio in new.items()}
        found |= new
    return found


def told(committed: Ratios, new: Ratios) -> Iterator[str]:
    """A line for each ratio, and at the end what it comes to."""
    bad = worse(committed, new)
    for name in sorted({*committed, *new}):
        was, now = (f"{one[name]:8.2f}" if name in one else "       –" for one in (committed, new))
        said = f"worse by {bad[name] - 1:.0%}" if name in bad else "left out" if name not in new else ""
        yield f"{name:<56} {was} {now}  {'new' if name not in committed else said}".rstrip()
    yield f"{len(bad)} of {len(new)} ratios are worse by over {WORSE - 1:.0%}"


def main(benches: Sequence[str], file: Path) -> int:
    everything: dict[str, float] = json.loads(file.read_text(encoding="utf-8"))
    committed = {name: ratio for name, ratio in everything.items() if name.partition(":")[0] in benches}
    new = measured(benches, committed)
    print(*told(committed, new), sep="\n")
    return 1 if worse(committed, new) else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("benches", nargs="*", metavar="BENCH", help=", ".join(PATTERNS))
    parser.add_argument("--with", dest="file", type=Path, default=COMMITTED, metavar="FILE", help="of ratios")
    words = parser.parse_args()
    if unknown := sorted(set(words.benches) - set(PATTERNS)):
        parser.error(f"no ratios are known of {', '.join(unknown)}; choose from {', '.join(PATTERNS)}")
    if not words.file.exists():
        parser.error(f"{words.file} does not exist; write it with `python -m bench --ratios {words.file}`")
    raise SystemExit(main(words.benches or list(PATTERNS), words.file))
