"""Where evidence is: files, folders and standard input, opened one after the other."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from counterfoil.reading.lines import CHUNK

SUFFIXES = tuple(suffix + packed for suffix in (".ndjson", ".jsonl", ".json") for packed in ("", ".gz"))
"""Which files of a folder are read. A file that is named itself is read whatever its name."""

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Source:
    """A stream of bytes, under the name that a person will look for; ``size`` is 0 where nobody knows it."""

    name: str
    size: int

    def chunks(self, progress: Callable[[int], None] = lambda read: None) -> Iterator[bytes]:
        """The bytes, a chunk at a time. ``progress`` is told how many came. Raises OSError."""
        if self.name == STDIN:
            yield from _chunks(sys.stdin.buffer, progress)
        else:
            with open(self.name, "rb", buffering=0) as stream:
                yield from _chunks(stream, progress)


def sources(paths: Sequence[str]) -> list[Source]:
    """The files under these paths, folders' files sorted. Raises FileNotFoundError with the path that is missing."""
    return [source for path in paths for source in _under(path)]


def _under(path: str) -> Iterator[Source]:
    if path == STDIN:
        yield Source(STDIN, 0)
    elif not os.path.exists(path):
        raise FileNotFoundError(path)
    elif not os.path.isdir(path):
        yield _file(path)
    else:
        for folder, folders, files in os.walk(path):
            folders.sort()
            yield from (_file(os.path.join(folder, name)) for name in sorted(files) if name.lower().endswith(SUFFIXES))


def _file(path: str) -> Source:
    try:
        status = os.stat(path)
    except OSError:  # whoever reads it will say what is wrong
        return Source(path, 0)
    return Source(path, status.st_size if stat.S_ISREG(status.st_mode) else 0)


def _chunks(stream: BinaryIO, progress: Callable[[int], None]) -> Iterator[bytes]:
    while chunk := stream.read(CHUNK):
        progress(len(chunk))
        yield chunk
