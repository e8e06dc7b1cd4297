"""The first keyed stage: an operation's facts are kept, and sent to all with whom it may have to be judged.

They are read again only when the operation turns out to have one more link. A fact that was sent twice is kept and sent
on twice; the judge sees a set.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from counterfoil.engines.buckets import keys
from counterfoil.engines.parcels import (
    EVERYBODY,
    OF_INTENT,
    Carried,
    Parcel,
    apart,
    carried,
    opened,
    sealed,
    to_operation,
    together,
)
from counterfoil.engines.piles import Piles

_ROW = Row(*Carried._fields)
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
        for row in rows:
            for one in opened(row.parcels):
                records, found = came.setdefault(one.about, ({}, set()))
                records.update(dict.fromkeys(apart(one.facts)))
                found.update(one.links)
        self._piles.begin(timerValues.getCurrentProcessingTimeInMs())
        gaps, _ = came.pop("", ({}, set()))
        sent = [one for name, (records, found) in sorted(came.items()) for one in self._sent(name, records, found)]
        self._piles.end()
        yield from (_ROW(*row) for row in carried(sent))
        if gaps:
            told = sealed([Parcel(EVERYBODY, "", together(gaps))])
            yield from (_ROW(bucket, EVERYBODY, told) for bucket in keys())

    def _sent(self, name: str, records: dict[bytes, None], found: set[str]) -> Iterator[Parcel]:
        fresh = together(records)
        pile = self._piles.of(name)
        known = set(orjson.loads(pile.note)) if pile else set()
        gained = sorted(found - known)
        earlier = list(self._piles.earlier(name, pile)) if gained and pile else []
        self._piles.put(name, pile, orjson.dumps(sorted(known | found)).decode(), fresh)

        intents = sorted(link for link in known | found if link.startswith(OF_INTENT))
        yield Parcel(to_operation(name), name, fresh)
        for link in sorted(known):
            yield Parcel(link, name, fresh, intents)
        for link in gained:
            yield Parcel(link, name, together((*earlier, fresh)), intents)
