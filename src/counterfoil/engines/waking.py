"""Which operations of a bucket are looked at again, and when: one timer for all that are due in the same second."""

from __future__ import annotations

from collections import defaultdict

import orjson
from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle

from counterfoil.engines.noting import MILLISECOND

SLOT_MS = 1_000
"""Whoever is due waits for the end of the second, so that a timer is for many."""


class Waking:
    """For the bucket at hand. An operation that wants another time later is listed twice; its note says which holds."""

    def __init__(self, handle: StatefulProcessorHandle) -> None:
        self._handle = handle
        self._due = handle.getMapState("due", "at_ms LONG", "names STRING")
        self._wanted: dict[int, set[str]] = defaultdict(set)

    def slot(self, at: int) -> int:
        """The millisecond at which somebody is looked at who is due at this time, in nanoseconds."""
        return -(-at // (SLOT_MS * MILLISECOND)) * SLOT_MS

    def at(self, slot: int, name: str) -> None:
        """To be arranged before the bucket is left."""
        self._wanted[slot].add(name)

    def arrange(self) -> None:
        """Write down who wants what, and set a timer for each time that is new."""
        for slot, names in sorted(self._wanted.items()):
            listed = self._due.getValue((slot,))
            known = set() if listed is None else set(orjson.loads(listed[0]))
            if not names <= known:
                self._due.updateValue((slot,), (orjson.dumps(sorted(known | names)).decode(),))
            if listed is None:
                self._handle.registerTimer(slot)
        self._wanted.clear()

    def due(self, slot: int) -> list[str]:
        """Who is listed for this time; it is forgotten by that."""
        listed = self._due.getValue((slot,))
        if listed is None:
            return []
        self._due.removeKey((slot,))
        return list(orjson.loads(listed[0]))
