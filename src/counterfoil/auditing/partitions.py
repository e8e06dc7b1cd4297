"""Facts on disk in partitions by operation, so that each can be judged alone, in a process of its own.

Only what operations share reaches across partitions. Who shares something is found in partitions too, by what is
shared; then whoever belongs together is brought together. Files are written and read by one audit, in a folder that
only its user can open, and are gone with it.
"""

from __future__ import annotations

import copyreg
import pickle
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from counterfoil.auditing.intake import Facts, Intake
from counterfoil.auditing.neighbours import Places, shareable
from counterfoil.packed import Form, Packed, form

AT_ONCE = 20_000
"""So many facts of a source are held before they are written."""

Near = Mapping[str, tuple[str, ...]]
"""Who belongs together, by each of them; those alone are left out."""

copyreg.pickle(Form, lambda shape: (form, (shape.kind, shape.names)))  # a form is known by identity


def partition_of(name: str, partitions: int) -> int:
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) % partitions


class Spilling(Intake):
    """An intake of one source that keeps no facts: they go to files, and lines that weren't used are listed in full."""

    __slots__ = ("_files", "_held", "_partitions", "skips")

    def __init__(self, folder: Path, source: int, partitions: int) -> None:
        super().__init__()
        self.skips: dict[bytes, tuple[str, str]] = {}  # by digest: where, and why
        self._files = Spills(folder, source)
        self._partitions = partitions
        self._held = 0

    def add(self, operation_id: str | None, packed: Packed) -> None:
        Intake.add(self, operation_id, packed)
        self._held += 1
        if self._held >= AT_ONCE:
            self.spill()

    def skip(self, where: str, what: str, digest: bytes, operation_id: str | None = None) -> None:
        Intake.skip(self, where, what, digest, operation_id)
        self.skips.setdefault(digest, (where, what))

    def spill(self) -> None:
        """Write what is held: facts by operation, and what may be shared by what it is."""
        places: Places = {}
        about: dict[int, dict[str, Facts]] = defaultdict(dict)
        shared: dict[int, set[tuple[bytes, str]]] = defaultdict(set)
        for name, facts in self.operations.items():
            about[partition_of(name, self._partitions)][name] = facts
            for packed in facts:
                for value in shareable(packed, places):
                    shared[partition_of(value, self._partitions)].add((_digest(value), name))
        for number, some in about.items():
            self._files.write("facts", number, some)
        for number, links in shared.items():
            self._files.write("links", number, links)
        self.operations.clear()
        self._held = 0


class Spills:
    """Files of one writer: ``facts-<partition>-<writer>`` and so on, each a row of pickles."""

    def __init__(self, folder: Path, writer: int) -> None:
        self._folder = folder
        self._writer = writer

    def write(self, what: str, partition: int, content: object) -> None:
        with open(self._folder / f"{what}-{partition}-{self._writer}", "ab") as file:
            pickle.dump(content, file, pickle.HIGHEST_PROTOCOL)


def spilled(folder: Path, what: str, partition: int) -> Iterator[Any]:
    """All that was written to a partition, by whomever. These are files of our own, made by this very audit."""
    for path in sorted(folder.glob(f"{what}-{partition}-*")):
        with open(path, "rb") as file:
            while True:
                try:
                    yield pickle.load(file)
                except EOFError:
                    break


def pairs(folder: Path, partition: int) -> list[tuple[str, str]]:
    """Two operations at a time that share something whose digest falls into this partition."""
    first: dict[bytes, str] = {}
    found: set[tuple[str, str]] = set()
    for links in spilled(folder, "links", partition):
        for link, name in links:
            if (other := first.setdefault(link, name)) != name:
                found.add((other, name))
    return sorted(found)


def bring_together(folder: Path, partition: int, partitions: int, near: Near) -> None:
    """Copy the facts of those that belong to a group judged in another partition to that one."""
    moved = Spills(folder, partition)
    for some in spilled(folder, "facts", partition):
        leaving: dict[int, dict[str, Facts]] = defaultdict(dict)
        for name, facts in some.items():
            if name in near and (home := partition_of(near[name][0], partitions)) != partition:
                leaving[home][name] = facts
        for home, facts_of in leaving.items():
            moved.write("moved", home, facts_of)


def operations_in(folder: Path, partition: int, partitions: int, near: Near) -> dict[str, Facts]:
    """All operations that are judged in this partition."""
    found: dict[str, Facts] = {}
    for some in _both(folder, partition):
        for name, facts in some.items():
            if partition_of(near[name][0] if name in near else name, partitions) == partition:
                found.setdefault(name, {}).update(facts)
    return found


def _both(folder: Path, partition: int) -> Iterable[Mapping[str, Facts]]:
    yield from spilled(folder, "facts", partition)
    yield from spilled(folder, "moved", partition)


def _digest(value: str) -> bytes:
    return blake2b(value.encode("utf-8", "surrogatepass"), digest_size=16).digest()
