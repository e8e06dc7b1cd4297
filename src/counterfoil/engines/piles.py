"""What a bucket keeps of each of its operations or links: a note, and facts.

The latest kilobytes stand beside the note, so that who reads the one has the other: one call reads and one writes what
is known of nearly every operation. Past that they are laid aside in chunks that are never touched again, so that the
thousandth fact costs what the first did.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle

AT_HAND = 8_192
"""Bytes of facts beside the note; they are written again with every change, so this is what a change costs at most."""


class Pile(NamedTuple):
    """``chunks``: how many were laid aside. ``facts``: what came since."""

    note: str = ""
    chunks: int = 0
    facts: bytes = b""


class Piles:
    """By name, for the bucket at hand. Everything is forgotten ``keep_s`` seconds after it was written."""

    def __init__(self, handle: StatefulProcessorHandle, keep_s: int) -> None:
        keep_ms = keep_s * 1_000
        self._heads = handle.getMapState("heads", "name STRING", "note STRING, chunks INT, facts BINARY", keep_ms)
        self._chunks = handle.getMapState("chunks", "name STRING, number INT", "facts BINARY", keep_ms)

    def of(self, name: str) -> Pile | None:
        head = self._heads.getValue((name,))
        return None if head is None else Pile(head[0], head[1], bytes(head[2]))

    def earlier(self, name: str, pile: Pile) -> Iterator[bytes]:
        """All facts of a pile, part by part, in the order in which they came."""
        for number in range(pile.chunks):
            if (chunk := self._chunks.getValue((name, number))) is not None:
                yield bytes(chunk[0])
        if pile.facts:
            yield pile.facts

    def put(self, name: str, pile: Pile | None, note: str, news: bytes = b"") -> Pile:
        """The pile with these facts on top and this note. Writes only what changed."""
        before = pile or Pile()
        facts = b"\n".join(filter(None, (before.facts, news)))
        chunks = before.chunks
        if news and len(facts) > AT_HAND:
            self._chunks.updateValue((name, chunks), (facts,))
            chunks, facts = chunks + 1, b""
        now = Pile(note, chunks, facts)
        if now != pile:
            self._heads.updateValue((name,), tuple(now))
        return now

    def names(self) -> list[str]:
        """All names in this bucket, sorted."""
        return sorted(str(key[0]) for key in self._heads.keys())  # noqa: SIM118 -- no mapping, but Spark's state
