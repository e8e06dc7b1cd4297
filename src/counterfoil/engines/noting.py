"""What the last stage notes of an operation: what was told of it, and when it wants to be looked at again."""

from __future__ import annotations

from typing import NamedTuple

import orjson

from counterfoil.ledger.told import Said, Told

MILLISECOND = 1_000_000


class Note(NamedTuple):
    """``revision`` 0: nothing was told yet. ``at``: nanoseconds since 1970. ``wake_ms``: 0 for never."""

    revision: int = 0
    at: int = 0
    said: str = ""
    wake_ms: int = 0

    @classmethod
    def read(cls, text: str) -> Note:
        return cls(*orjson.loads(text)) if text else cls()

    def text(self) -> str:
        return orjson.dumps(tuple(self)).decode()

    def told(self, name: str) -> Told | None:
        return Told(name, self.revision, Said.read(self.said), self.at, True) if self.revision else None

    def telling(self, told: Told) -> Note:
        return self._replace(revision=told.revision, at=told.at, said=told.said.text())

    def woken(self) -> Note:
        return self._replace(wake_ms=0)
