"""The first keyed stage: an operation's facts are kept, and sent to all with whom it may have to be judged.

They are read again only when the operation turns out to have one more link. A fact that was sent twice is kept and sent
on twice; the judge sees a set.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from counterfoil.engines.buckets import keys
from counterfoil.engines.parcels import EVERYBODY, OF_INTENT, Parcel, apart, parcel, to_operation, together
from counterfoil.engines.piles import Piles

_ROW = Row(*Parcel._fields)
_Came = dict[str, tuple[dict[bytes, None], set[str]]]
"""By operation, its new facts, and the links that they give it."""


class Sending(StatefulProcessor):
    """Keyed by bucket. The empty name stands for gaps, which everybody is told of."""

    def __init__(self, keep_s: int) -> None:
        self._keep_s = keep_s

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._piles = Piles(handle, self._keep_s)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        came: _Came = {}
        for _, name, facts, links in rows:
            records, found = came.setdefault(name, ({}, set()))
            records.update(dict.fromkeys(apart(facts)))
            found.update(filter(None, links.split(",")))
        for name, (records, found) in sorted(came.items()):
            fresh = together(records)
            sent = self._to_sharers(name, fresh, found) if name else _to_everybody(fresh)
            yield from (_ROW(*one) for one in sent)

    def _to_sharers(self, name: str, fresh: bytes, found: set[str]) -> Iterator[Parcel]:
        pile = self._piles.of(name)
        known = set(filter(None, pile.note.split(","))) if pile else set()
        gained = sorted(found - known)
        earlier = list(self._piles.earlier(name, pile)) if gained and pile else []
        self._piles.put(name, pile, ",".join(sorted(known | found)), fresh)

        intents = ",".join(sorted(link for link in known | found if link.startswith(OF_INTENT)))
        yield parcel(to_operation(name), name, fresh)
        for link in sorted(known):
            yield parcel(link, name, fresh, intents)
        for link in gained:
            yield parcel(link, name, together((*earlier, fresh)), intents)


def _to_everybody(gaps: bytes) -> Iterator[Parcel]:
    for bucket in keys():
        yield Parcel(bucket, EVERYBODY, "", gaps)
