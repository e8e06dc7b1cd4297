"""What there is under the paths that somebody named: archives, which are judged as they lie, and everything else."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from counterfoil.archives.clickhouse import SCHEME, Table, table_at
from counterfoil.archives.footer import said_by
from counterfoil.archives.needs import MissingExtra
from counterfoil.archives.objects import PARQUET, Fetched, InPlace
from counterfoil.archives.strangers import Lines
from counterfoil.auditing.sources import STDIN, Source, sources

_NOTHING: Mapping[str, Sequence[Source]] = {}


@dataclass(frozen=True, slots=True)
class Found:
    """``sources`` are streams of lines; ``archives`` were written by `archives.writing`, and are named by their paths,
    or by their addresses where they stay in a bucket."""

    sources: list[Source]
    archives: list[str]

    @property
    def in_order(self) -> bool:
        """Whether there is anything that is judged one operation at a time, because it may be larger than memory."""
        return bool(self.archives) or any(isinstance(source, Table) for source in self.sources)

    @property
    def size(self) -> int:
        """Bytes that are read as lines, as far as known."""
        return sum(source.size for source in self.sources)


def found(paths: Sequence[str], password: str = "", brought: Mapping[str, Sequence[Source]] = _NOTHING) -> Found:
    """All that is under these paths, folders' files sorted. ``password``: for a ClickHouse among them. ``brought``:
    what `archives.objects` has brought from addresses of buckets among them. Raises OSError for what isn't there or
    can't be read, `MissingExtra` where there is nothing to read it with, `TooNew` and `NoAddress`."""
    streams: list[Source] = []
    archives: list[str] = []
    for path in paths:
        if path.startswith(SCHEME):
            streams.append(table_at(path, password))
            continue
        if path in brought:
            for source in brought[path]:
                if isinstance(source, InPlace):
                    archives.append(source.name)
                elif isinstance(source, Fetched) and source.path.suffix == PARQUET:
                    _sort(source.path, streams, archives, source.name)
                else:
                    streams.append(source)
            continue
        if path.lower().endswith(PARQUET) and os.path.isfile(path):
            _sort(Path(path), streams, archives)
            continue
        streams += sources([path])
        for parquet in _parquet_in(path):
            _sort(parquet, streams, archives)
    return Found(streams, archives)


def _sort(path: Path, streams: list[Source], archives: list[str], name: str = "") -> None:
    try:
        own = said_by(path, name) is not None
    except ImportError:
        raise MissingExtra("pyarrow", "archive") from None
    if own:
        archives.append(str(path))
    else:
        streams.append(Lines(name or str(path), path.stat().st_size, str(path)))


def _parquet_in(path: str) -> Iterator[Path]:
    if path != STDIN:
        for folder, folders, files in os.walk(path):
            folders.sort()
            yield from (Path(folder, name) for name in sorted(files) if name.lower().endswith(PARQUET))
