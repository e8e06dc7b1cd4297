"""The ratios that benches print, by name. Ratios of one run say more than figures: the machine is in both parts.

A ratio is found by the words that its bench prints around it; where a bench prints other words, that is an error.
Larger is worse for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

NUMBER = r"(\d+(?:\.\d+)?)"
PROCESSOR = rf"(?s){{}}: microseconds each.*?{NUMBER} alone, {NUMBER} beside it"
SAMPLING = (
    rf"(?s){{}}: microseconds.*?all recorded to sampled: {NUMBER}\s*all recorded to all sampled and exported: {NUMBER}"
)
LEDGER = rf"SQLite, synchronous={{}}, 1 process: alone, given facts.*?, {NUMBER} times"

PATTERNS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "start_up": {
        rf"start when shut, ratio\s+{NUMBER}": ("start when shut",),
        rf"start when open, ratio\s+{NUMBER}": ("start when open",),
    },
    "processor": {
        PROCESSOR.format(span): (f"{span}, ours alone to batch", f"{span}, ours beside to batch")
        for span in ("unrelated span", "tool span with two requests")
    },
    "sampling": {
        SAMPLING.format(span): (f"{span}, recorded to sampled", f"{span}, recorded to exported")
        for span in ("unrelated span", "tool span with two requests")
    },
    "history": {
        rf"growth from 1,000 to 10,000: n\^{NUMBER} and n\^{NUMBER}": ("growth of a list", "growth of stored JSON"),
    },
    "core": {
        rf"{cost} at [\d,]+ to that at [\d,]+: {NUMBER}": (f"growth of {name}",)
        for cost, name in (("fold us/fact", "fold"), ("judge us/op", "judge"), ("open kB/op", "an open operation"))
    },
    "ledger": {LEDGER.format(mode): (f"SQLite, {mode}, to SQLite alone",) for mode in ("normal", "full")},
    "others": {
        rf"audit to DuckDB at [\d,]+ lines: {NUMBER}": ("audit to DuckDB",),
        rf"audit to jq at [\d,]+ lines: {NUMBER}": ("audit to jq",),
        rf"audit, a line of [\d,]+ to one of [\d,]+: {NUMBER}": ("growth of an audit",),
    },
}
LEFT_OUT = "jq: left out"
"""What a bench prints where the machine has no jq; its ratio is then missing without an error."""


class NotPrintedError(Exception):
    """A bench didn't print a ratio that is known of it."""


def ratios(bench: str, printed: str) -> dict[str, float]:
    """The ratios in what a bench printed. Raises `NotPrintedError`."""
    found: dict[str, float] = {}
    for pattern, names in PATTERNS.get(bench, {}).items():
        match = re.search(pattern, printed)
        if match is not None:
            found |= {f"{bench}: {name}": float(said) for name, said in zip(names, match.groups(), strict=True)}
        elif not (LEFT_OUT in printed and "jq" in pattern):
            raise NotPrintedError(f"bench.{bench} printed no {' and no '.join(names)}; see bench/ratios.py")
    return found
