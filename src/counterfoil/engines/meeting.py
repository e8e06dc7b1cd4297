"""The second keyed stage, and the third: operations that share something get each other's facts.

The second is about idempotency keys and effect references, the third about business intents. They are two, because a
judge of an intent's effects must know who else shows one of them: whoever shares a reference with a member of an
intent is a guest there. That is as far as the core looks (`ledger.related`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from counterfoil.engines.pages import Pile
from counterfoil.engines.parcels import (
    OF_INTENT,
    OF_REFERENCE,
    Carried,
    Parcel,
    carried,
    opened,
    packed,
    to_operation,
    together,
    unpacked,
)
from counterfoil.engines.piles import Piles
from counterfoil.facts import Gap
from counterfoil.ledger.packing import rows_of

MOST = 1_000
"""Operations with one link that are judged together. With more, each of them is told that something was left out, and
nothing more is kept of the link."""

CROWD = rows_of((Gap(what=f"it shares something with more than {MOST} operations", observed_at=0),)).gaps[0].record

_CROWDED = "crowd"
_ROW = Row(*Carried._fields)
Members = set[tuple[str, str]]
"""Operations, each with an address to which it wants the facts of the others to go; a guest with none."""


class Meeting(StatefulProcessor):
    """Keyed by bucket. ``kinds``: those of addresses at which operations meet here; all others are passed on."""

    def __init__(self, kinds: str, keep_s: int) -> None:
        self._kinds = kinds
        self._keep_s = keep_s

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._piles = Piles(handle, self._keep_s)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        came: dict[str, list[Parcel]] = {}
        for row in rows:
            if row.kind not in self._kinds:
                yield row
                continue
            for one in opened(row.parcels):
                came.setdefault(one.to, []).append(one)
        self._piles.begin(timerValues.getCurrentProcessingTimeInMs())
        sent = [one for at, parcels in sorted(came.items()) for one in self._met(at, parcels)]
        self._piles.end()
        yield from (_ROW(*row) for row in carried(sent))

    def _met(self, at: str, came: list[Parcel]) -> Iterator[Parcel]:
        """What is new goes to all who are here, and all that was here to who is new."""
        pile = self._piles.of(at)
        if pile is not None and pile.note == _CROWDED:
            yield from _told_of_crowd(one.about for one in came)
            return
        before = _members(pile)
        now = before.union((one.about, to) for one in came for to in _wanted(at, one))
        gained = now - before
        if len({name for name, to in now if to}) > MOST:
            self._piles.put(at, Pile(), _CROWDED)
            yield from _told_of_crowd({name for name, to in before if to}.union(one.about for one in came))
            return
        news: dict[str, bytes] = {}
        for one in came:
            news[one.about] = together(filter(None, (news.get(one.about), one.facts)))
        is_alone = len({name for name, _ in now}) == 1
        known = self._piles.earlier(at, pile) if gained and pile and not is_alone else ()
        old = _by_operation(unpacked(known))
        self._piles.put(at, pile, orjson.dumps(sorted(now)).decode(), packed(news))
        for name, to in () if is_alone else sorted(one for one in now if one[1]):
            for facts in (old, news) if (name, to) in gained else (news,):
                yield from (Parcel(to, about, some) for about, some in sorted(facts.items()) if about != name)


def _members(pile: Pile | None) -> Members:
    return {(name, to) for name, to in orjson.loads(pile.note)} if pile and pile.note else set()


def _wanted(at: str, one: Parcel) -> set[str]:
    """The addresses to which an operation that came here wants the facts of others to go."""
    intents = set(one.links)
    own = {to_operation(one.about)}
    if at[0] == OF_INTENT:
        return own if at in intents else {""}
    return own | intents if at[0] == OF_REFERENCE else own


def _told_of_crowd(names: Iterable[str]) -> Iterator[Parcel]:
    return (Parcel(to_operation(name), "", CROWD) for name in sorted(set(names)))


def _by_operation(known: Iterable[tuple[str, bytes]]) -> dict[str, bytes]:
    records: dict[str, dict[bytes, None]] = {}
    for about, record in known:
        records.setdefault(about, {})[record] = None
    return {about: together(some) for about, some in records.items()}
