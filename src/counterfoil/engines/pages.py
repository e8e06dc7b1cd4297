"""A page: what a bucket learned last, of many operations or links in one value, so that one call reads all of it.

Whoever was written longest ago stands first, and is laid aside first when the page is full.
"""

from __future__ import annotations

from typing import NamedTuple

from counterfoil.engines.frames import framed, unframed

PAGE = 65_536
"""Bytes of a page. It is written again with every change in its bucket, so this is what a change costs at most."""

_BESIDE = 64
"""What an entry takes beside its texts, in bytes; no less than that."""


class Pile(NamedTuple):
    """What is known of one name. ``chunks``: how many were laid aside. ``facts``: what came since."""

    note: str = ""
    chunks: int = 0
    facts: bytes = b""


class Page:
    """``at_ms`` of an entry: when it was written, in milliseconds since 1970; it is forgotten ``keep_ms`` later."""

    def __init__(self, text: bytes, now_ms: int, keep_ms: int) -> None:
        self._now_ms = now_ms
        self._entries: dict[str, tuple[int, Pile]] = {}
        self.is_changed = False
        for (name, at_ms, note, chunks), facts in unframed(text):
            if at_ms + keep_ms > now_ms:  # type: ignore[operator]  # as `text` wrote it
                self._entries[name] = (at_ms, Pile(note, chunks, facts))  # type: ignore[index, assignment, arg-type]

    def __getitem__(self, name: str) -> Pile | None:
        entry = self._entries.get(name)
        return None if entry is None else entry[1]

    def __setitem__(self, name: str, pile: Pile) -> None:
        self._entries.pop(name, None)
        self._entries[name] = (self._now_ms, pile)
        self.is_changed = True

    def names(self) -> list[str]:
        return list(self._entries)

    def overflow(self) -> dict[str, Pile]:
        """What has no room, taken out."""
        sizes = {
            name: _BESIDE + len(name) + len(pile.note) + len(pile.facts) for name, (_, pile) in self._entries.items()
        }
        left, out = sum(sizes.values()), {}
        for name, size in sizes.items():
            if left <= PAGE:
                break
            out[name] = self._entries.pop(name)[1]
            left -= size
        return out

    def text(self) -> bytes:
        return framed(
            ([name, at_ms, pile.note, pile.chunks], pile.facts) for name, (at_ms, pile) in self._entries.items()
        )
