"""Texts with something said of each, as one text: a line of JSON before each of them, which ends with its length.

What lies in a page and what travels between stages is written so, because one large value costs less than many small.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import orjson

Frame = tuple[list[object], bytes]
"""What is said of a text, as JSON can say it, and the text."""


def framed(frames: Iterable[Frame]) -> bytes:
    parts: list[bytes] = []
    for said, text in frames:
        parts += (orjson.dumps((*said, len(text))), text)
    return b"\n".join(parts)


def unframed(whole: bytes) -> Iterator[Frame]:
    """The same again. What was not written by `framed` raises ValueError."""
    start = 0
    while start < len(whole):
        end = whole.index(b"\n", start)
        *said, length = orjson.loads(whole[start:end])
        start = end + 1 + length
        yield said, whole[end + 1 : start]
        start += 1
