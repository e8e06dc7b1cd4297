"""What a bucket keeps of each of its operations or links: a note, and facts.

A call to Spark's state costs more than what it brings. So what a bucket learned last stands on one page, which is read
and written once in a micro-batch however many it holds. Who is written longest ago is laid aside when the page is full:
one call each, and one to read it again. Of a long history only the latest kilobytes are beside the note; past
that facts are laid aside in chunks that are never touched again, so that the thousandth fact costs what the first did.
"""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle

from counterfoil.engines.pages import Page, Pile
from counterfoil.engines.sieve import Sieve

AT_HAND = 8_192
"""Bytes of facts beside the note; they are written again with every change, so this is what a change costs at most."""


class Piles:
    """By name, for the bucket at hand. Everything is forgotten ``keep_s`` seconds after it was written."""

    def __init__(self, handle: StatefulProcessorHandle, keep_s: int) -> None:
        self._keep_ms = keep_s * 1_000
        self._now_ms = 0
        self._page: Page | None = None
        self._sieve: Sieve | None = None
        beside = "note STRING, chunks INT, facts BINARY"
        self._pages = handle.getValueState("page", "was_full BOOLEAN, text BINARY", self._keep_ms)
        self._sieves = handle.getValueState("sieve", "turn LONG, now BINARY, before BINARY", self._keep_ms)
        self._aside = handle.getMapState("aside", "name STRING", beside, self._keep_ms)
        self._chunks = handle.getMapState("chunks", "name STRING, number INT", "facts BINARY", self._keep_ms)

    def begin(self, now_ms: int) -> None:
        """Another bucket is at hand. ``now_ms``: the clock of the micro-batch."""
        self._now_ms = now_ms
        self._page = self._sieve = None

    def of(self, name: str) -> Pile | None:
        pile = self._at_hand()[name]
        if pile is None and self._sifted().may_have(name):
            head = self._aside.getValue((name,))
            pile = None if head is None else Pile(head[0], head[1], bytes(head[2]))
        return pile

    def earlier(self, name: str, pile: Pile) -> Iterator[bytes]:
        """All facts of a pile, part by part, in the order in which they came."""
        for number in range(pile.chunks):
            if (chunk := self._chunks.getValue((name, number))) is not None:
                yield bytes(chunk[0])
        if pile.facts:
            yield pile.facts

    def put(self, name: str, pile: Pile | None, note: str, news: bytes = b"") -> Pile:
        """The pile with these facts on top and this note. It is written when the bucket is left, if it changed."""
        before = pile or Pile()
        facts = b"\n".join(filter(None, (before.facts, news)))
        chunks = before.chunks
        if news and len(facts) > AT_HAND:
            self._chunks.updateValue((name, chunks), (facts,))
            chunks, facts = chunks + 1, b""
        now = Pile(note, chunks, facts)
        if now != pile:
            self._at_hand()[name] = now
        return now

    def names(self) -> list[str]:
        """All names in this bucket, sorted."""
        laid_aside = self._aside.keys()
        return sorted({*self._at_hand().names(), *(str(key[0]) for key in laid_aside)})

    def end(self) -> None:
        """The bucket is left: write down what changed."""
        page = self._page
        if page is None or not page.is_changed:
            return
        out = page.overflow()
        for name, pile in out.items():
            self._aside.updateValue((name,), tuple(pile))
        sieve = self._sifted()
        if out:
            sieve = sieve.having(list(out))
            self._sieves.update(tuple(sieve))
        self._pages.update((sieve.is_used, page.text()))

    def _at_hand(self) -> Page:
        if self._page is None:
            held = self._pages.get()
            self._page = Page(bytes(held[1]) if held else b"", self._now_ms, self._keep_ms)
            if not held or not held[0]:
                self._sieve = Sieve(self._turn)
        return self._page

    def _sifted(self) -> Sieve:
        """To be asked once the page is open."""
        if self._sieve is None:
            held = self._sieves.get()
            self._sieve = (Sieve(held[0], bytes(held[1]), bytes(held[2])) if held else Sieve()).at(self._turn)
        return self._sieve

    @property
    def _turn(self) -> int:
        return self._now_ms // self._keep_ms
