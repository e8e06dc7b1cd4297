"""Lines out of a stream of bytes, plain or gzip, in bounded memory: one chunk and one line are held at a time.

What is no line is said, not raised: a line longer than the limit, the rest of a stream that broke.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain

MAX_LINE = 16 * 1024 * 1024
"""The longest line that is read, in bytes; a longer one is passed over without being held."""

CHUNK = 1024 * 1024
"""So many bytes are read, or unpacked, at a time."""

_GZIP = b"\x1f\x8b"
_GZIP_FORMAT = 16 + zlib.MAX_WBITS


@dataclass(frozen=True, slots=True)
class NoLine:
    """Bytes that can't be read as a line, and why. The same bytes have the same ``digest``."""

    what: str
    digest: bytes


def lines(chunks: Iterable[bytes], limit: int = MAX_LINE) -> Iterator[bytes | NoLine]:
    """Every line without its line feed. The last one may lack it, and an empty one at the end is none."""
    last = _Unfinished(limit)
    try:
        for chunk in unzipped(chunks):
            first, *others = chunk.split(b"\n")
            last.add(first)
            if others:
                yield last.line()
                for line in others[:-1]:
                    yield line if len(line) <= limit else _too_long(line, limit)
                last = _Unfinished(limit)
                last.add(others[-1])
    except (OSError, EOFError, zlib.error) as broken:
        what = broken.strerror if isinstance(broken, OSError) and broken.strerror else str(broken)
        yield NoLine(f"the stream broke: {what}", last.digest())
        return
    if last.size:
        yield last.line()


def unzipped(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The bytes themselves, or, if they begin as gzip does, what they pack. Raises `zlib.error` and `EOFError`."""
    source = iter(chunks)
    first = b""
    for chunk in source:
        first += chunk
        if len(first) >= len(_GZIP):
            break
    yield from _members(chain((first,), source)) if first.startswith(_GZIP) else chain((first,), source)


def _members(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """A gzip file is one member or several, one after the other; zeros may fill it up."""
    member = None
    for chunk in chunks:
        rest = chunk
        while rest:
            if member is None:
                rest = rest.lstrip(b"\0")
                member = zlib.decompressobj(_GZIP_FORMAT) if rest else None
            if member is not None:
                yield member.decompress(rest, CHUNK)
                rest = member.unused_data if member.eof else member.unconsumed_tail
                member = None if member.eof else member
    if member is not None:
        yield member.flush()
        raise EOFError("gzip data is cut off")


class _Unfinished:
    """The beginning of a line. Past the limit only its digest is kept up."""

    def __init__(self, limit: int) -> None:
        self.size = 0
        self._limit = limit
        self._parts: list[bytes] = []
        self._digest = blake2b(digest_size=8)

    def add(self, part: bytes) -> None:
        self.size += len(part)
        self._parts.append(part)
        if self.size > self._limit:
            for held in self._parts:
                self._digest.update(held)
            self._parts.clear()

    def line(self) -> bytes | NoLine:
        if self.size > self._limit:
            return NoLine(_longer_than(self._limit), self._digest.digest())
        return b"".join(self._parts)

    def digest(self) -> bytes:
        for held in self._parts:
            self._digest.update(held)
        return self._digest.digest()


def _too_long(line: bytes, limit: int) -> NoLine:
    return NoLine(_longer_than(limit), blake2b(line, digest_size=8).digest())


def _longer_than(limit: int) -> str:
    return f"longer than {limit} bytes"
