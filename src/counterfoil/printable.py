"""Names come from strangers: what of them may be shown to a person."""

from __future__ import annotations


def printable(text: str) -> str:
    """What can't be seen, and what could move the cursor or turn the writing around, becomes a replacement mark."""
    return text if text.isprintable() else "".join(mark if mark.isprintable() else "\ufffd" for mark in text)


def shortened(text: str, most: int) -> str:
    """The same, at most ``most`` characters of it; of a longer text its length is told."""
    if len(text) <= most:
        return printable(text)
    return f"{printable(text[:most])}… ({len(text):,} characters)"
