"""Text from evidence, fit for a terminal: names in it come from strangers."""

from __future__ import annotations


def printable(text: str) -> str:
    """What can't be seen, and what could move the cursor or turn the writing around, becomes a replacement mark."""
    return text if text.isprintable() else "".join(mark if mark.isprintable() else "\ufffd" for mark in text)
