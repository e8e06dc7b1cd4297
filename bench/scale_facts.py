"""Evidence for `bench.scale`, laid out in files, and the digest by which all engines must agree on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from hashlib import blake2b
from itertools import islice
from pathlib import Path

import orjson

from bench.evidence import LINES_PER_OPERATION, lines

LATE, HOT = 10, 10
"""One fact of ten comes after its verdict; one of ten is about the same operation."""


def even(facts: int) -> Iterator[bytes]:
    """Ten facts an operation, some 2,000 operations at a time."""
    return lines(max(1, facts // LINES_PER_OPERATION))


def histories(facts: int, each: int) -> Iterator[bytes]:
    """As many facts, all different, ``each`` of them about one operation: looks at a target where nothing is."""
    for number in range(facts):
        about, turn = divmod(number, each)
        said = {"kind": "effect", "source": "probe", "effect_ref": None, "count": 1, "authoritative": True}
        when = f"2026-01-01T{turn // 3600:02d}:{turn // 60 % 60:02d}:{turn % 60:02d}Z"
        yield orjson.dumps({**said, "operation_id": f"op-{about}", "observed_at": when})


def skewed(facts: int) -> Iterator[bytes]:
    """One operation has a tenth of all facts; the others have ten each."""
    hot = histories(facts // HOT, facts)
    for number, line in enumerate(even(facts - facts // HOT)):
        yield line
        yield from islice(hot, int(number % (HOT - 1) == 0))
    yield from hot


def on_time(facts: int) -> tuple[list[bytes], list[bytes]]:
    """What comes before the verdict, and what comes after."""
    all_of_it = list(even(facts))
    late = [line for number, line in enumerate(all_of_it) if number % LATE == 0]
    return [line for number, line in enumerate(all_of_it) if number % LATE], late


def laid_out(folder: Path, content: Iterable[bytes], parts: int) -> list[Path]:
    """Files of lines, which many may read at once: line after line to one after the other."""
    folder.mkdir(parents=True)
    paths = [folder / f"{part:03d}.ndjson" for part in range(parts)]
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("wb")) for path in paths]
        for number, line in enumerate(content):
            files[number % parts].write(line + b"\n")
    return paths


def mark(verdict: Mapping[str, object]) -> int:
    """What was said of one operation, as a number. The sum over operations, in any order, is the digest of a run."""
    said = [verdict[name] for name in ("operation_id", "verdict", "outcome", "findings", "reason")]
    return int.from_bytes(blake2b(orjson.dumps(said), digest_size=8).digest())


def digest(marks: Iterable[int]) -> str:
    return f"{sum(marks) % 2**64:016x}"


def lines_of(paths: Sequence[Path]) -> Iterator[bytes]:
    for path in paths:
        with path.open("rb") as file:
            yield from file
