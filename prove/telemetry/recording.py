"""From what the receiver kept to the recorded run: one folder of OTLP JSON lines, a file for each process."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from prove.telemetry.lines import Line, lines, unframed

GAPS = "gaps.ndjson"
"""Where operators put down of which process nothing arrived for a while, as evidence."""


def recorded(kept: Path, out: Path, seed: int) -> None:
    """Write all that arrived. Lines of the cohort `reordered` are shuffled, those of `split` go to two files; of `gap`
    a third is lost, by time, which is put down."""
    out.mkdir(parents=True, exist_ok=True)
    for path in sorted(kept.glob("*.bin")):
        found = [one for request in unframed(path) for one in lines(request)]
        if path.stem.startswith("reordered"):
            Random(f"{seed}/{path.stem}").shuffle(found)
        if path.stem.startswith("gap"):
            found = list(_but_for_a_while(found, path.stem, out / GAPS))
        if path.stem.startswith("split"):
            for half in (0, 1):
                part = [line for line in found if line.span_id[-1] % 2 == half]
                _write(out / f"{path.stem}-host{half + 1}.jsonl", part)
        else:
            _write(out / f"{path.stem}.jsonl", found)


def _but_for_a_while(found: list[Line], process: str, gaps: Path) -> Iterator[Line]:
    """All but what ended in the second third of the process's time."""
    times = [line.ended for line in found]
    first, last = min(times, default=0), max(times, default=0)
    begins, ends = first + (last - first) // 3, first + 2 * (last - first) // 3
    at = datetime.fromtimestamp(ends / 1e9, UTC).isoformat()
    said = {"kind": "gap", "what": "its exporter was down", "observed_at": at, "process": process}
    with gaps.open("a", encoding="utf-8") as file:
        file.write(f"{json.dumps(said)}\n")
    yield from (line for line in found if not begins <= line.ended < ends)


def _write(out: Path, found: Iterable[Line]) -> None:
    with out.open("wb") as file:
        file.writelines(line.content + b"\n" for line in found)
