"""From what the receiver kept to the recorded run: one folder of OTLP JSON lines, a file for each process."""

from __future__ import annotations

from pathlib import Path
from random import Random

from prove.telemetry.lines import lines, unframed


def recorded(kept: Path, out: Path, seed: int) -> None:
    """Write all that arrived. Lines of the cohort `reordered` are shuffled, those of `split` go to two files."""
    out.mkdir(parents=True, exist_ok=True)
    for path in sorted(kept.glob("*.bin")):
        found = [one for request in unframed(path) for one in lines(request)]
        if path.stem.startswith("reordered"):
            Random(f"{seed}/{path.stem}").shuffle(found)
        if path.stem.startswith("split"):
            for half in (0, 1):
                part = [line for span_id, line in found if span_id[-1] % 2 == half]
                _write(out / f"{path.stem}-host{half + 1}.jsonl", part)
        else:
            _write(out / f"{path.stem}.jsonl", [line for _, line in found])


def _write(path: Path, found: list[bytes]) -> None:
    with path.open("wb") as file:
        file.writelines(line + b"\n" for line in found)
